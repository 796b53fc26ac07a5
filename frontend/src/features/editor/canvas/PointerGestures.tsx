import { useEffect, useLayoutEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { laneMark, type Point, type SceneApi, useSceneApi } from '@/scene';
import { isDrawer, useEditor } from '../context';
import { applyGesture, besideCard, canFollow, destinationOf, type GestureTarget } from './applyGesture';
import { type QuickAddState, useCanvasContext } from './canvasStore';
import { answerText } from './Tips';
import { type DragSubject, drift, type GestureEvent, nextGesture } from './gestureMachine';
import { type Hit, hitAt } from './hitTest';
import { listen, modifiersOf, onLongPress, onTapOrLongPress, pointOf, trackDrag } from './pointerTracking';

/** A press within this distance of a handle or an edge hits it, in pixels of the screen. */
const REACH = { mouse: { handle: 16, edge: 6 }, touch: { handle: 24, edge: 14 } } as const;

/** Listens to mouse, pen and fingers on the scene. It draws nothing. */
export function PointerGestures() {
  const scene = useSceneApi();
  const context = useCanvasContext();
  const { store } = useEditor();
  const { t } = useTranslation('document');
  const latest = useRef({ scene, t });
  // In a layout effect, so that it is current before the next press.
  useLayoutEffect(() => {
    latest.current = { scene, t };
  });
  useEffect(() => {
    const root = latest.current.scene.root.current;
    if (!root) return undefined;
    return listenTo(root, () => ({
      ...context,
      store,
      scene: latest.current.scene,
      announce: (answer) => {
        if (answer) context.canvas.setState({ announcement: answerText(latest.current.t, answer) });
      },
    }));
  }, [context, store]);
  return null;
}

/** Turns the pointer events of the scene's element into gestures, until the returned function is called. */
function listenTo(root: HTMLElement, target: () => GestureTarget): () => void {
  const { canvas, pointer } = target();
  const gestures = newGestures(root, target);
  const onLeave = () => {
    pointer.setState({ at: undefined });
  };
  const onTab = (event: KeyboardEvent) => {
    if (event.key === 'Tab' && !(event.target instanceof Node && root.contains(event.target))) onLeave();
  };
  // A finger that drags something must not move the view as well.
  const onTouch = (event: TouchEvent) => {
    if (!gestures.claimsTouch()) return;
    event.stopPropagation();
    event.preventDefault();
  };
  canvas.setState({
    quickAddAt: (client) => quickAddAt(client, target()),
    startDrag: (event, subject) => {
      // The press is outside the scene, so it hits nothing in it.
      gestures.drag(event, subject, { kind: 'between', index: -1 });
    },
  });
  const unlisten = [
    listen(root, {
      pointerdown: gestures.press,
      pointermove: (event) => {
        if (event.pointerType === 'mouse') pointer.setState({ at: pointOf(event) });
      },
      pointerleave: onLeave,
      contextmenu: (event) => {
        event.preventDefault();
      },
      dblclick: (event) => {
        doubleClick(event, target());
      },
    }),
    listen(window, { keydown: gestures.noteSpace, keyup: gestures.noteSpace, blur: gestures.forgetSpace }),
  ];
  root.addEventListener('touchstart', onTouch, { capture: true, passive: false });
  window.addEventListener('keydown', onTab, true);
  return () => {
    gestures.stop();
    canvas.setState({ startDrag: undefined, quickAddAt: undefined });
    for (const stop of unlisten) stop();
    root.removeEventListener('touchstart', onTouch, { capture: true });
    window.removeEventListener('keydown', onTab, true);
  };
}

/** Runs the gesture machine: passes it the events of one pointer at a time, and applies its results. */
function newGestures(root: HTMLElement, target: () => GestureTarget) {
  const { canvas, store } = target();
  /** The space bar is down: the pointer moves the view. */
  let space = false;
  /** The pressed finger drags something, so the browser must not move the view. */
  let claimed = false;
  let stopTracking: (() => void) | undefined;
  let stopLongPress: (() => void) | undefined;

  const handle = (event: GestureEvent) => {
    const before = canvas.getState().gesture;
    const { gesture, result } = nextGesture(before, event);
    if (gesture !== before) {
      canvas.setState({ gesture, ...(gesture.phase === 'dragging' ? { contextMenu: undefined, tip: undefined } : {}) });
    }
    if (result) applyGesture(result, target());
  };
  const stop = () => {
    stopTracking?.();
    stopLongPress?.();
  };
  const drag = (pressed: PointerEvent, subject: DragSubject, hit: Hit) => {
    stop();
    stopTracking = trackDrag(pressed, {
      moved: (client, modifiers) => {
        const { scene } = target();
        handle({ type: 'move', at: scene.toScene(client), client, over: hitBelow(scene, client), modifiers });
      },
      modified: (modifiers) => {
        handle({ type: 'modifiers', modifiers });
      },
      released: () => {
        handle({ type: 'release' });
      },
      canceled: () => {
        handle({ type: 'cancel' });
      },
      panned: (client) => {
        if (canvas.getState().gesture.phase !== 'dragging') return false;
        const by = drift(client, root.getBoundingClientRect());
        if (by.x === 0 && by.y === 0) return false;
        target().scene.panBy(by.x, by.y);
        return true;
      },
    });
    const client = pointOf(pressed);
    const at = target().scene.toScene(client);
    handle({ type: 'press', subject, hit, at, client, modifiers: modifiersOf(pressed) });
  };
  const dragOrLongPress = (event: PointerEvent, subject: DragSubject, hit: Hit) => {
    drag(event, subject, hit);
    if (event.pointerType !== 'touch') return;
    stopLongPress = onLongPress(event, () => {
      if (canvas.getState().gesture.phase !== 'pressed') return;
      stop();
      handle({ type: 'cancel' });
      openContextMenu(hit, pointOf(event), false, target());
    });
  };

  const press = (event: PointerEvent) => {
    claimed = false;
    if (isForeign(event.target)) return;
    const touch = event.pointerType === 'touch';
    const hit = hitOf(event, target().scene, touch ? REACH.touch : REACH.mouse);
    const client = pointOf(event);
    if (event.button === 2) {
      openContextMenu(hit, client, true, target());
      return;
    }
    if (event.button !== 0 || space) return;
    canvas.setState({ tip: undefined, contextMenu: undefined });
    const grip = gripOf(event.target);
    const { tasks } = store.getState().selection;
    const selected = (hit.kind === 'card' || hit.kind === 'handle') && tasks.includes(hit.key);
    if (!touch || grip !== undefined || hit.kind === 'handle' || selected) {
      claimed = touch;
      dragOrLongPress(event, subjectOf(hit, grip, tasks, event), hit);
      return;
    }
    touchView(event, hit, target);
  };

  return {
    press,
    drag,
    stop,
    claimsTouch: () => claimed,
    noteSpace: (event: KeyboardEvent) => {
      if (event.code === 'Space') space = event.type === 'keydown';
    },
    /** A window without the focus does not get the release of the space bar. */
    forgetSpace: () => {
      space = false;
    },
  };
}

/** For a finger that drags nothing: a tap selects, a long press opens the context menu. React Flow moves the view. */
function touchView(event: PointerEvent, hit: Hit, target: () => GestureTarget): void {
  const client = pointOf(event);
  const tap = (up: PointerEvent) => {
    const subject: DragSubject = { kind: 'frame', add: false };
    applyGesture({ type: 'click', hit, subject, modifiers: modifiersOf(up), client }, target());
  };
  onTapOrLongPress(event, tap, () => {
    openContextMenu(hit, client, false, target());
  });
}

/** Opens the context menu of the hit object; an edge has none and is selected instead. */
function openContextMenu(hit: Hit, client: Point, buttonDown: boolean, target: GestureTarget): void {
  const { canvas, edit, sceneStore, store } = target;
  switch (hit.kind) {
    case 'card':
    case 'handle':
      if (!store.getState().selection.tasks.includes(hit.key) && !isDrawer()) edit.selectTasks([hit.key]);
      sceneStore.setState({ active: hit.key, focused: isDrawer() });
      canvas.setState({ contextMenu: { subject: { task: hit.key }, client, buttonDown }, tip: undefined });
      return;
    case 'lane':
    case 'head':
      canvas.setState({ contextMenu: { subject: { job: hit.job }, client, buttonDown }, tip: undefined });
      return;
    case 'between':
      canvas.setState({ contextMenu: { subject: { ground: hit.index }, client, buttonDown }, tip: undefined });
      return;
    case 'edge':
      edit.select({ tasks: [], edge: { from: hit.from, to: hit.to } });
  }
}

/** A double click renames a task or job, and opens quick-add elsewhere. */
function doubleClick(event: MouseEvent, target: GestureTarget): void {
  if (isForeign(event.target)) return;
  const { canvas, scene } = target;
  const hit = hitOf(event, scene, REACH.mouse);
  if (hit.kind === 'card') canvas.setState({ renaming: hit.key });
  else if (hit.kind === 'head') canvas.setState({ renaming: laneMark(hit.job) });
  else if (hit.kind === 'lane' || hit.kind === 'between')
    canvas.setState({ quickAdd: quickAddAt(pointOf(event), target) });
}

/** The quick-add menu for a point of the window; undefined where no task can be added. */
function quickAddAt(client: Point, { scene, store }: GestureTarget): QuickAddState | undefined {
  const hit = besideCard(scene.layout, hitBelow(scene, client), scene.toScene(client));
  if (hit.kind !== 'lane' && hit.kind !== 'between') return undefined;
  const {
    doc,
    selection: { tasks },
  } = store.getState();
  const [only] = tasks.length === 1 ? tasks : [];
  return {
    client,
    into: destinationOf(hit),
    from: only !== undefined && canFollow(doc, only, hit) ? only : undefined,
  };
}

/** Whether the target of an event is over the scene: in a menu, a tip or the actions at a card. */
const isForeign = (target: EventTarget | null): boolean =>
  !(target instanceof Element) || target.closest('[data-own], [data-actions]') !== null;

/** The job of a grip; undefined for other elements. */
const gripOf = (target: EventTarget | null): string | undefined =>
  target instanceof Element ? target.closest<HTMLElement>('[data-grip]')?.dataset.grip : undefined;

/** The hit of a drop at a point of the window. It is never a handle or an edge. */
const hitBelow = (scene: SceneApi, client: Point): Hit => hitAt(scene.layout, scene.toScene(client));

/** The hit of a press or double click. */
function hitOf(event: MouseEvent, scene: SceneApi, reach: { handle: number; edge: number }): Hit {
  const target = event.target instanceof Element ? event.target : undefined;
  const head = target?.closest<HTMLElement>('[data-lane-head], [data-grip]')?.dataset;
  if (head) return { kind: 'head', job: head.laneHead ?? head.grip ?? '' };
  const zoom = scene.view().zoom;
  const hit = hitAt(scene.layout, scene.toScene(pointOf(event)), {
    handle: reach.handle / Math.max(zoom, 0.5),
    edge: reach.edge / zoom,
    redundant: scene.redundant,
  });
  // After an edit a card glides to its new position: the card that is drawn under the pointer is hit.
  const card = target?.closest<HTMLElement>('[data-editable]')?.dataset.task;
  return card === undefined || hit.kind === 'handle' ? hit : { kind: 'card', key: card };
}

/** The subject of a drag that begins with a press. With a selected card, all selected tasks are dragged. */
function subjectOf(hit: Hit, grip: string | undefined, selected: readonly string[], event: PointerEvent): DragSubject {
  if (grip !== undefined) return { kind: 'job', job: grip };
  if (hit.kind === 'handle') return { kind: 'edge', from: hit.key };
  if (hit.kind === 'head') return { kind: 'job', job: hit.job };
  if (hit.kind === 'card')
    return { kind: 'tasks', key: hit.key, keys: selected.includes(hit.key) ? selected : [hit.key] };
  return { kind: 'frame', add: modifiersOf(event).add };
}
