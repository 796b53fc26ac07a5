import type { Point } from '@/scene';
import type { Modifiers } from './gestureMachine';

// Follows pointers with listeners of the window. PointerGestures.tsx interprets the events.

/** A finger that is pressed for this long makes a long press, in milliseconds. */
const LONG_PRESS = 450;
/** A finger that moves further than this makes no tap, in pixels. */
const TAP_RADIUS = 8;

/** The position of a pointer event in the window. */
export const pointOf = (event: { clientX: number; clientY: number }): Point => ({ x: event.clientX, y: event.clientY });

/** The modifier keys of an event. */
export const modifiersOf = (event: {
  shiftKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
}): Modifiers => ({
  add: event.shiftKey || event.ctrlKey || event.metaKey,
  alternative: event.shiftKey || event.altKey,
});

/** The callbacks of a drag. */
export interface DragListener {
  moved: (client: Point, modifiers: Modifiers) => void;
  modified: (modifiers: Modifiers) => void;
  released: () => void;
  canceled: () => void;
  /** Called once a frame: moves the view if the pointer is near an edge, and returns whether it moved. */
  panned: (client: Point) => boolean;
}

/** Follows a pointer from its press until it is released or canceled, or the returned function is called. */
export function trackDrag(pressed: PointerEvent, listener: DragListener): () => void {
  let client = pointOf(pressed);
  let modifiers = modifiersOf(pressed);
  let frame = 0;
  const pan = () => {
    frame = 0;
    if (!listener.panned(client)) return;
    listener.moved(client, modifiers);
    frame = requestAnimationFrame(pan);
  };
  const onMove = (event: PointerEvent) => {
    if (event.pointerId !== pressed.pointerId) return;
    client = pointOf(event);
    modifiers = modifiersOf(event);
    listener.moved(client, modifiers);
    frame ||= requestAnimationFrame(pan);
  };
  const onUp = (event: PointerEvent) => {
    if (event.pointerId !== pressed.pointerId) return;
    stop();
    listener.released();
  };
  const cancel = () => {
    stop();
    listener.canceled();
  };
  const onCancel = (event: PointerEvent) => {
    if (event.pointerId === pressed.pointerId) cancel();
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      event.stopPropagation();
      cancel();
    } else if (event.key === 'Shift' || event.key === 'Alt') {
      modifiers = { ...modifiers, alternative: event.type === 'keydown' };
      listener.modified(modifiers);
    }
  };
  const unlisten = listen(window, {
    pointermove: onMove,
    pointerup: onUp,
    pointercancel: onCancel,
    blur: cancel,
  });
  // In the capture phase, so that Escape ends the drag and does nothing else.
  window.addEventListener('keydown', onKey, true);
  window.addEventListener('keyup', onKey, true);
  const stop = () => {
    cancelAnimationFrame(frame);
    unlisten();
    window.removeEventListener('keydown', onKey, true);
    window.removeEventListener('keyup', onKey, true);
  };
  return stop;
}

/**
 * Calls `act` if a finger stays on the screen for the time of a long press and the returned function is not called. The
 * caller must check that the finger did not move.
 */
export function onLongPress(pressed: PointerEvent, act: () => void): () => void {
  const timer = setTimeout(() => {
    stop();
    act();
  }, LONG_PRESS);
  const onEnd = (event: PointerEvent) => {
    if (event.pointerId === pressed.pointerId) stop();
  };
  const unlisten = listen(window, { pointerup: onEnd, pointercancel: onEnd });
  const stop = () => {
    clearTimeout(timer);
    unlisten();
  };
  return stop;
}

/** Calls `tap` or `long`, whichever the finger makes; neither if it moves away or a second finger is pressed. */
export function onTapOrLongPress(pressed: PointerEvent, tap: (event: PointerEvent) => void, long: () => void): void {
  const start = pointOf(pressed);
  const isFar = (event: PointerEvent) => Math.hypot(event.clientX - start.x, event.clientY - start.y) > TAP_RADIUS;
  const timer = setTimeout(() => {
    stop();
    long();
  }, LONG_PRESS);
  const unlisten = listen(window, {
    // The press of this finger may still be on its way to the window.
    pointerdown: (event) => {
      if (event.pointerId !== pressed.pointerId) stop();
    },
    pointermove: (event) => {
      if (event.pointerId === pressed.pointerId && isFar(event)) stop();
    },
    pointerup: (event) => {
      if (event.pointerId !== pressed.pointerId) return;
      stop();
      if (!isFar(event)) tap(event);
    },
    pointercancel: (event) => {
      if (event.pointerId === pressed.pointerId) stop();
    },
  });
  const stop = () => {
    clearTimeout(timer);
    unlisten();
  };
}

type Listeners<M> = { [name in keyof M]?: (event: M[name]) => void };

/** Adds listeners to the window by the names of their events; the returned function removes them. */
export function listen(target: Window, listeners: Listeners<WindowEventMap>): () => void;
/** Adds listeners to an element by the names of their events; the returned function removes them. */
export function listen(target: HTMLElement, listeners: Listeners<HTMLElementEventMap>): () => void;
/** Adds listeners by the names of their events; the returned function removes them. */
export function listen(target: EventTarget, listeners: Readonly<Record<string, unknown>>): () => void {
  const all = Object.entries(listeners) as [string, EventListener][];
  for (const [name, listener] of all) target.addEventListener(name, listener);
  return () => {
    for (const [name, listener] of all) target.removeEventListener(name, listener);
  };
}
