import type { Point } from '@/scene';
import type { Hit } from './hitTest';

/** The subject of a drag. */
export type DragSubject =
  | { kind: 'edge'; from: string }
  | { kind: 'tasks'; keys: readonly string[]; key: string }
  | { kind: 'job'; job: string }
  | { kind: 'handler'; handler: string }
  /** A frame that selects the cards inside it. With `add`, the previous selection stays. */
  | { kind: 'frame'; add: boolean };

/** Modifier keys that are held down during a gesture. */
export interface Modifiers {
  /** Add to the selection. */
  add: boolean;
  /** Accept the offer of a refused dependency. */
  alternative: boolean;
}

/** A gesture that drags: `from` and `at` are points of the scene, `client` is the pointer in the window. */
export interface Drag {
  phase: 'dragging';
  subject: DragSubject;
  from: Point;
  at: Point;
  client: Point;
  over: Hit;
  modifiers: Modifiers;
}

/** The state of the pointer: idle, pressed (it may still become a click), or dragging. */
export type Gesture =
  | { phase: 'idle' }
  | { phase: 'pressed'; subject: DragSubject; hit: Hit; from: Point; client: Point; modifiers: Modifiers }
  | Drag;

/** The events of pointer and keyboard for the machine. */
export type GestureEvent =
  | { type: 'press'; subject: DragSubject; hit: Hit; at: Point; client: Point; modifiers: Modifiers }
  | { type: 'move'; at: Point; client: Point; over: Hit; modifiers: Modifiers }
  | { type: 'modifiers'; modifiers: Modifiers }
  | { type: 'release' }
  | { type: 'cancel' };

/** How a gesture ends, if it is not canceled. */
export type GestureResult =
  { type: 'click'; hit: Hit; subject: DragSubject; modifiers: Modifiers; client: Point } | { type: 'drop'; drag: Drag };

/** No button is down. */
export const IDLE: Gesture = { phase: 'idle' };

/** A press becomes a drag after a move of this many pixels of the screen. */
const DRAG_THRESHOLD = 4;

/** The gesture after an event, and its result if the event ended it. A gesture has at most one result. */
export function nextGesture(gesture: Gesture, event: GestureEvent): { gesture: Gesture; result?: GestureResult } {
  switch (event.type) {
    case 'press': {
      const { subject, hit, at, client, modifiers } = event;
      return { gesture: { phase: 'pressed', subject, hit, from: at, client, modifiers } };
    }
    case 'move': {
      if (gesture.phase === 'idle') return { gesture };
      const { at, client, over, modifiers } = event;
      const moved = Math.hypot(client.x - gesture.client.x, client.y - gesture.client.y);
      if (gesture.phase === 'pressed' && moved < DRAG_THRESHOLD) return { gesture };
      const { subject, from } = gesture;
      return { gesture: { phase: 'dragging', subject, from, at, client, over, modifiers } };
    }
    case 'modifiers':
      return { gesture: gesture.phase === 'idle' ? gesture : { ...gesture, modifiers: event.modifiers } };
    case 'cancel':
      return { gesture: IDLE };
    case 'release':
      return gesture.phase === 'idle' ? { gesture } : { gesture: IDLE, result: resultOf(gesture) };
  }
}

function resultOf(gesture: Exclude<Gesture, { phase: 'idle' }>): GestureResult {
  if (gesture.phase === 'dragging') return { type: 'drop', drag: gesture };
  const { hit, subject, modifiers, client } = gesture;
  return { type: 'click', hit, subject, modifiers, client };
}

/** A drag within this distance of an edge of the canvas moves the view, in pixels. */
const MARGIN = 40;
/** The largest move of the view, in pixels a frame. */
const SPEED = 14;

/** The move of the view in one frame while the pointer drags near an edge of the canvas, in pixels of the screen. */
export function drift(client: Point, area: { left: number; top: number; right: number; bottom: number }): Point {
  const pull = (at: number, low: number, high: number) => {
    const near =
      at < low + MARGIN ? (low + MARGIN - at) / MARGIN : at > high - MARGIN ? (high - MARGIN - at) / MARGIN : 0;
    return Math.max(-1, Math.min(1, near)) * SPEED;
  };
  return { x: pull(client.x, area.left, area.right), y: pull(client.y, area.top, area.bottom) };
}
