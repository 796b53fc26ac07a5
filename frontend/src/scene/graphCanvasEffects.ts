import { useStoreApi } from '@xyflow/react';
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { type TaskGraph, type Trail, trailOf } from '@/graph';
import type { View } from './camera';
import { keepsCardActive } from './Cards';
import { cardId, jobOfMark, litTrail, type SceneStore } from './sceneStore';
import type { Camera } from './useCamera';

// Effects that keep the scene's element, its store and the view in step.

/** Sets the first view before the first paint. React Flow alone would set it after the paint. */
export function useOpeningView(opening: View): void {
  const flow = useStoreApi();
  useLayoutEffect(() => {
    flow.setState({ transform: [opening.x, opening.y, opening.zoom] });
  }, [flow, opening]);
}

/**
 * Keeps the selected task visible beside the drawer, and shows the task `reveal`, at a zoom at which it can be read. A
 * restored view is not moved to the `reveal` of the first render.
 */
export function useShownTask(
  camera: Camera,
  selected: string | undefined,
  reveal: string | undefined,
  savedView: RefObject<View | undefined> | undefined,
): void {
  useEffect(() => {
    if (selected !== undefined) camera.keepVisible(selected);
  }, [camera, selected]);
  // Each new value moves the view once, although the camera is a new object whenever a drawer opens, closes or resizes.
  const [initial] = useState(() => (savedView?.current ? reveal : undefined));
  const revealed = useRef(initial);
  useEffect(() => {
    if (reveal !== undefined && reveal !== revealed.current) camera.show(reveal);
    revealed.current = reveal;
  }, [camera, reveal]);
}

/** Ends the keyboard focus of a card when the focus moves from the actions at the card to another part of the page. */
export function useFocusElsewhere(root: RefObject<HTMLElement | null>, sceneStore: SceneStore): void {
  useEffect(() => {
    const onFocus = ({ target }: FocusEvent) => {
      const inScene = target instanceof Node && root.current?.contains(target);
      if (!sceneStore.getState().focused || keepsCardActive(target) || inScene) return;
      sceneStore.setState({ focused: false, trail: undefined });
    };
    document.addEventListener('focusin', onFocus);
    return () => {
      document.removeEventListener('focusin', onFocus);
    };
  }, [root, sceneStore]);
}

/** The trail of a card: the card with everything up- and downstream. Lanes have none, nor has a card without edges. */
export function trailFor(graph: TaskGraph, key: string | undefined): Trail | undefined {
  if (key === undefined || jobOfMark(key) !== undefined) return undefined;
  const trail = trailOf(graph, key);
  return trail.edges.size > 0 ? trail : undefined;
}

/** Computes the lit trail again after an edit, because its tasks may have changed. */
export function useTrailAfterEdit(sceneStore: SceneStore, graph: TaskGraph, editing: boolean): void {
  useEffect(() => {
    const { trail, active, focused, hovered } = sceneStore.getState();
    if (trail && editing) sceneStore.setState({ trail: trailFor(graph, focused ? active : hovered) });
  }, [sceneStore, graph, editing]);
}

/**
 * Marks the scene's element while a trail is lit. It bypasses React, since it changes with each card under the
 * pointer.
 */
export function useLitAttribute(root: RefObject<HTMLElement | null>, sceneStore: SceneStore): void {
  useLayoutEffect(() => {
    const mark = () => {
      root.current?.toggleAttribute('data-lit', litTrail(sceneStore.getState()) !== undefined);
    };
    mark();
    return sceneStore.subscribe(mark);
  }, [root, sceneStore]);
}

/**
 * Sets the active card or lane as `aria-activedescendant` while its element is mounted: a few cards and heads are
 * mounted in each frame, and none in the overview.
 */
export function useActiveDescendant(root: RefObject<HTMLElement | null>, sceneStore: SceneStore, scene: string): void {
  useLayoutEffect(() => {
    const element = root.current;
    if (!element) return undefined;
    const update = () => {
      const { active, focused } = sceneStore.getState();
      const id = focused && active !== undefined ? cardId(scene, active) : undefined;
      if (id === undefined || !document.getElementById(id)) element.removeAttribute('aria-activedescendant');
      else if (element.getAttribute('aria-activedescendant') !== id) element.setAttribute('aria-activedescendant', id);
    };
    const observer = new MutationObserver(update);
    const follow = () => {
      if (sceneStore.getState().focused) observer.observe(element, { childList: true, subtree: true });
      else observer.disconnect();
      update();
    };
    follow();
    const stop = sceneStore.subscribe((now, before) => {
      if (now.active !== before.active || now.focused !== before.focused) follow();
    });
    return () => {
      stop();
      observer.disconnect();
    };
  }, [root, sceneStore, scene]);
}

/**
 * Puts a transparent shield over the cards while the user moves the view, until the first frame without a move. Without
 * the shield, the browser would search in each frame for the element below a resting pointer, and compute the styles of
 * the elements that the pointer leaves and enters.
 */
export function usePointerShield(root: RefObject<HTMLElement | null>, isMoving: () => boolean): void {
  const flow = useStoreApi();
  const latest = useRef(isMoving);
  useEffect(() => {
    latest.current = isMoving;
  });
  useEffect(() => {
    let frame = 0;
    let moved = false;
    const check = () => {
      frame = moved ? requestAnimationFrame(check) : 0;
      if (!moved) root.current?.removeAttribute('data-shield');
      moved = false;
    };
    const stop = flow.subscribe((now, before) => {
      if (now.transform === before.transform || !latest.current()) return;
      moved = true;
      if (frame !== 0) return;
      root.current?.setAttribute('data-shield', '');
      frame = requestAnimationFrame(check);
    });
    return () => {
      stop();
      cancelAnimationFrame(frame);
    };
  }, [flow, root]);
}
