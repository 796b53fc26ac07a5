import { type ReactFlowProps, useReactFlow } from '@xyflow/react';
import { type KeyboardEvent, type MouseEvent, type RefObject, useEffect, useRef } from 'react';
import { cardOf, inActions, keepsCardActive } from './Cards';
import { trailFor, usePointerShield } from './graphCanvasEffects';
import { handleLevelKey } from './jobs/levelKeys';
import type { Level } from './jobs/useLevel';
import { stepOnJobs } from './jobs/walkJobs';
import type { SceneProps } from './sceneApi';
import { jobOfMark, type SceneStore, useSceneContext } from './sceneStore';
import type { Layout } from './types';
import type { Camera } from './useCamera';
import { boxAt, type Step, cardAfterStep } from './walk';

/** A trail is lit after the pointer has rested on its card for this time, in milliseconds. */
const HOVER = 120;

type Props = Pick<
  SceneProps,
  'graph' | 'selected' | 'onSelect' | 'onOpen' | 'onMenu' | 'onKey' | 'onStep' | 'editing'
> & {
  layout: Layout;
};

interface Parts {
  root: RefObject<HTMLDivElement | null>;
  camera: Camera;
  /** The overview is shown, without cards. */
  far: boolean;
  level: Level;
}

/**
 * The listeners of the scene's element; `goTo`, which makes a card or lane active and shows it; and `peek`, which shows
 * a card and leaves the active one. Without a card, `peek` ends the trail of the last one.
 */
export function useInteraction({ onStep, ...pageProps }: Props, parts: Parts) {
  const { graph, layout } = pageProps;
  const { root, camera, level } = parts;
  const props: Props = { ...pageProps, onStep: level.jobs ? stepOnBars(level) : onStep };
  const { sceneStore } = useSceneContext();
  const goTo = (key: string | undefined) => {
    if (key === undefined) return;
    sceneStore.setState({ active: key, focused: true, trail: level.jobs ? undefined : trailFor(graph, key) });
    if (level.jobs && jobOfMark(key) === undefined && !layout.boxes.has(key)) level.openFor(key);
    camera.show(key, 'instant');
  };
  const peek = (key: string | undefined) => {
    sceneStore.setState({ trail: level.jobs ? undefined : trailFor(graph, key) });
    if (key === undefined) return;
    if (level.jobs && jobOfMark(key) === undefined && !layout.boxes.has(key)) level.openFor(key);
    camera.show(key, 'instant');
  };
  const pointerEvents = usePointerEvents(props, parts);
  const focusEvents = focusEventsOf(props, sceneStore, goTo);
  const onKeyDown = (event: KeyboardEvent) => {
    if (inActions(event.target)) leaveActions(event, root.current);
    else if (
      handleLevelKey(event, level, { sceneStore, goTo, selected: props.selected }) ||
      handleKey(event, props, { camera, sceneStore, goTo })
    ) {
      event.preventDefault();
      event.stopPropagation();
    }
  };
  return { goTo, peek, events: { ...pointerEvents, ...focusEvents, onKeyDown } };
}

/** Whether a menu was asked for by a key: its event has no pointer, and a place of the browser's choice. */
const isByKey = ({ button, ctrlKey, nativeEvent }: MouseEvent): boolean =>
  button !== 2 && !ctrlKey && (nativeEvent as PointerEvent).pointerType !== 'touch';

/** Where the menu of a card opens; undefined while the card is not mounted. */
function placeOf(root: HTMLElement | null, key: string): { x: number; y: number } | undefined {
  const box = root?.querySelector(`[data-task="${CSS.escape(key)}"]`)?.getBoundingClientRect();
  return box && { x: box.left + 12, y: box.bottom };
}

/** The step of the keyboard at the level of jobs. */
const stepOnBars =
  ({ bundles }: Level): NonNullable<Props['onStep']> =>
  (_, layout, from, to) =>
    stepOnJobs(layout, bundles, from, to);

type FlowEvents = Pick<
  ReactFlowProps,
  | 'onMoveStart'
  | 'onMoveEnd'
  | 'onClick'
  | 'onDoubleClick'
  | 'onContextMenu'
  | 'onMouseOver'
  | 'onMouseLeave'
  | 'onPaneClick'
  | 'onPaneMouseMove'
  | 'onPaneMouseLeave'
>;

/** The pointer events: they light trails, select, open, and move the view. */
function usePointerEvents(props: Props, { root, camera, far, level }: Parts): FlowEvents {
  const { graph, layout, onSelect, onOpen, onMenu, editing = false } = props;
  const { sceneStore } = useSceneContext();
  const flow = useReactFlow();
  // While the view moves, cards pass below a resting pointer: only the last one lights its trail.
  const pointer = useRef<{ over?: string; moving?: boolean; timer?: number }>({});
  useEffect(() => {
    const { current } = pointer;
    return () => {
      clearTimeout(current.timer);
    };
  }, []);
  usePointerShield(root, () => pointer.current.moving === true);
  const light = (key: string | undefined) => {
    // At the level of jobs, no other card of a trail is visible.
    sceneStore.setState({ trail: level.jobs ? undefined : trailFor(graph, key) });
  };
  /** A pointer that only crosses cards on its way lights nothing. From one trail to the next there is no pause. */
  const lightSoon = (key: string | undefined) => {
    clearTimeout(pointer.current.timer);
    if (key === undefined || sceneStore.getState().trail) light(key);
    else
      pointer.current.timer = window.setTimeout(() => {
        light(key);
      }, HOVER);
  };
  const hover = (key: string | undefined) => {
    if (far || pointer.current.over === key) return;
    pointer.current.over = key;
    if (!pointer.current.moving) lightSoon(key);
  };
  const choose = (key: string) => {
    sceneStore.setState({ active: key });
    root.current?.focus({ preventScroll: true });
    onSelect(key);
  };
  const taskBelow = (event: { clientX: number; clientY: number }) =>
    boxAt(layout, flow.screenToFlowPosition({ x: event.clientX, y: event.clientY }))?.key;

  return {
    onMoveStart: (event) => {
      if (!event) return;
      pointer.current.moving = true;
      camera.noteUserMove();
    },
    onMoveEnd: (event) => {
      if (!pointer.current.moving) return;
      pointer.current.moving = false;
      if (far) return;
      // The browser reports the element below a resting pointer only when the pointer moves again.
      if (event instanceof WheelEvent) pointer.current.over = taskBelow(event);
      lightSoon(pointer.current.over);
    },
    onClick: ({ target }) => {
      const key = cardOf(target);
      if (key !== undefined && !editing && !inActions(target)) choose(key);
    },
    onDoubleClick: ({ target }) => {
      const key = cardOf(target);
      if (key !== undefined && !inActions(target)) onOpen?.(key);
    },
    onContextMenu: (event) => {
      if (!onMenu || inActions(event.target)) return;
      // A menu by key belongs to the active card, wherever the pointer is.
      const byKey = isByKey(event);
      const key = byKey ? sceneStore.getState().active : (cardOf(event.target) ?? taskBelow(event));
      if (key === undefined) return;
      event.preventDefault();
      sceneStore.setState({ active: key });
      onMenu(key, (byKey && placeOf(root.current, key)) || { x: event.clientX, y: event.clientY });
    },
    onMouseOver: ({ target }) => {
      if (!inActions(target)) hover(cardOf(target));
    },
    onMouseLeave: () => {
      hover(undefined);
    },
    onPaneClick: (event) => {
      if (editing) return;
      // Also outside the overview: a card under the pointer may not be mounted yet.
      const key = taskBelow(event);
      if (key === undefined) onSelect(undefined);
      else choose(key);
    },
    onPaneMouseMove: (event) => {
      if (!far && !level.jobs) return;
      const below = taskBelow(event);
      const hovered = far || (below !== undefined && layout.boxes.get(below)?.tile) ? below : undefined;
      if (hovered === sceneStore.getState().hovered) return;
      sceneStore.setState({ hovered });
      lightSoon(hovered);
    },
    onPaneMouseLeave: () => {
      if (!far && !level.jobs) return;
      sceneStore.setState({ hovered: undefined });
      lightSoon(undefined);
    },
  };
}

/** Activates a card when the scene's element gets the focus, and ends its keyboard focus when it loses it. */
function focusEventsOf(
  { graph, layout, selected, onStep = cardAfterStep }: Props,
  sceneStore: SceneStore,
  goTo: (key: string | undefined) => void,
): Pick<ReactFlowProps, 'onFocus' | 'onBlur'> {
  return {
    onFocus: (event) => {
      if (event.target !== event.currentTarget || !event.currentTarget.matches(':focus-visible')) return;
      goTo(sceneStore.getState().active ?? selected ?? onStep(graph, layout, undefined, 'first'));
    },
    onBlur: (event) => {
      if (!keepsCardActive(event.relatedTarget)) sceneStore.setState({ focused: false, trail: undefined });
    },
  };
}

interface KeyParts {
  camera: Camera;
  sceneStore: SceneStore;
  goTo: (key: string | undefined) => void;
}

/** Handles a key, after the page's handler; returns whether it was handled. */
function handleKey(event: KeyboardEvent, props: Props, { camera, sceneStore, goTo }: KeyParts): boolean {
  const { graph, layout, selected, onSelect, onKey, onStep = cardAfterStep } = props;
  const to = stepFor(event);
  const { active } = sceneStore.getState();
  if (onKey?.(event)) return true;
  if (to) goTo(onStep(graph, layout, active ?? selected, to));
  else if (isPlainF(event) && props.editing) camera.fit();
  else if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey && active !== undefined) {
    onSelect(active);
    props.onOpen?.(active);
  } else if (event.key === 'Escape' && selected !== undefined) onSelect(undefined);
  else return false;
  return true;
}

const isPlainF = (event: KeyboardEvent) => event.key === 'f' && !event.ctrlKey && !event.metaKey && !event.altKey;

/** Escape moves the focus from the actions at a card back to the scene; a menu over the actions handles it first. */
function leaveActions(event: KeyboardEvent, root: HTMLElement | null): void {
  const { target } = event;
  if (event.key !== 'Escape' || event.defaultPrevented || !(target instanceof Node) || !root?.contains(target)) return;
  event.stopPropagation();
  root.focus({ preventScroll: true });
}

const STEPS: Readonly<Record<string, Step>> = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
  Home: 'first',
  End: 'last',
};

/** The step of a key: arrows lead to the neighbour, with Alt along dependencies. */
function stepFor({ key, altKey }: { key: string; altKey: boolean }): Step | undefined {
  if (!altKey) return STEPS[key];
  return key === 'ArrowUp' ? 'needs' : key === 'ArrowDown' ? 'dependents' : undefined;
}
