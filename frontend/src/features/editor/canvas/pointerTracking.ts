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
  const onCancel = () => {
    stop();
    listener.canceled();
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      event.stopPropagation();
      onCancel();
    } else if (event.key === 'Shift' || event.key === 'Alt') {
      modifiers = { ...modifiers, alternative: event.type === 'keydown' };
      listener.modified(modifiers);
    }
  };
  const unlisten = listen(window, {
    pointermove: onMove,
    pointerup: onUp,
    pointercancel: onCancel,
    blur: onCancel,
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

/** Calls `act` if a finger is not lifted for the time of a long press. The caller must check that it did not move. */
export function onLongPress(pressed: PointerEvent, act: () => void): void {
  const timer = setTimeout(act, LONG_PRESS);
  const onUp = (event: PointerEvent) => {
    if (event.pointerId === pressed.pointerId) clearTimeout(timer);
  };
  window.addEventListener('pointerup', onUp, { once: true });
}

/** Calls `tap` or `long`, whichever the finger makes; neither if the finger moves away. */
export function onTapOrLongPress(pressed: PointerEvent, tap: (event: PointerEvent) => void, long: () => void): void {
  const start = pointOf(pressed);
  const isFar = (event: PointerEvent) => Math.hypot(event.clientX - start.x, event.clientY - start.y) > TAP_RADIUS;
  const timer = setTimeout(() => {
    end();
    long();
  }, LONG_PRESS);
  const onMove = (event: PointerEvent) => {
    if (event.pointerId === pressed.pointerId && isFar(event)) end();
  };
  const onUp = (event: PointerEvent) => {
    if (event.pointerId !== pressed.pointerId) return;
    end();
    if (!isFar(event)) tap(event);
  };
  const end = () => {
    clearTimeout(timer);
    unlisten();
  };
  const unlisten = listen(window, { pointermove: onMove, pointerup: onUp, pointercancel: end });
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
