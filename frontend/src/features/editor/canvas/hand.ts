import type { Point } from '@/scene';
import type { Hit } from './hits';

/** What a hand holds. */
export type Held =
  | { held: 'edge'; from: string }
  | { held: 'tasks'; keys: readonly string[]; key: string }
  | { held: 'job'; job: string }
  | { held: 'handler'; handler: string }
  /** A frame around what is to be selected, beside what is selected already. */
  | { held: 'frame'; more: boolean };

/** What a hand does: nothing, it has pressed and may only click, or it drags. Points `from` and `at` are of the scene. */
export type Hand =
  | { is: 'idle' }
  | { is: 'pressed'; what: Held; hit: Hit; from: Point; client: Point; keys: Keys }
  | { is: 'dragging'; what: Held; from: Point; at: Point; client: Point; over: Hit; keys: Keys };

/** Keys that are held down meanwhile. */
export interface Keys {
  more: boolean;
  instead: boolean;
}

export type Move =
  | { did: 'press'; what: Held; hit: Hit; at: Point; client: Point; keys: Keys }
  | { did: 'move'; at: Point; client: Point; over: Hit; keys: Keys }
  | { did: 'keys'; keys: Keys }
  | { did: 'release' }
  | { did: 'cancel' };

/** What comes of a gesture when the hand opens. */
export type Outcome =
  | { done: 'click'; hit: Hit; what: Held; keys: Keys; client: Point }
  | { done: 'drop'; what: Held; from: Point; at: Point; client: Point; over: Hit; keys: Keys };

export const IDLE: Hand = { is: 'idle' };

/** A hand that trembles does not drag: so many pixels of the screen. */
const TREMBLE = 4;

/** What a hand does after a move of it, and what has come of its gesture. One gesture has one outcome, or none. */
export function handAfter(hand: Hand, move: Move): { hand: Hand; outcome?: Outcome } {
  switch (move.did) {
    case 'press': {
      const { what, hit, at, client, keys } = move;
      return { hand: { is: 'pressed', what, hit, from: at, client, keys } };
    }
    case 'move':
      if (hand.is === 'idle') return { hand };
      if (hand.is === 'pressed' && Math.hypot(move.client.x - hand.client.x, move.client.y - hand.client.y) < TREMBLE)
        return { hand };
      return {
        hand: {
          is: 'dragging',
          what: hand.what,
          from: hand.from,
          at: move.at,
          client: move.client,
          over: move.over,
          keys: move.keys,
        },
      };
    case 'keys':
      return { hand: hand.is === 'idle' ? hand : { ...hand, keys: move.keys } };
    case 'cancel':
      return { hand: IDLE };
    case 'release':
      if (hand.is === 'pressed')
        return {
          hand: IDLE,
          outcome: { done: 'click', hit: hand.hit, what: hand.what, keys: hand.keys, client: hand.client },
        };
      if (hand.is === 'dragging') {
        const { what, from, at, client, over, keys } = hand;
        return { hand: IDLE, outcome: { done: 'drop', what, from, at, client, over, keys } };
      }
      return { hand };
  }
}

/** How near to an edge the view begins to move, in pixels, and how fast at most, in pixels a frame. */
const MARGIN = 40;
const SPEED = 14;

/** How the view moves in a frame while something is dragged near an edge of the place. */
export function drift(client: Point, place: { left: number; top: number; right: number; bottom: number }): Point {
  const pull = (at: number, low: number, high: number) => {
    const near =
      at < low + MARGIN ? (low + MARGIN - at) / MARGIN : at > high - MARGIN ? (high - MARGIN - at) / MARGIN : 0;
    return Math.max(-1, Math.min(1, near)) * SPEED;
  };
  return { x: pull(client.x, place.left, place.right), y: pull(client.y, place.top, place.bottom) };
}
