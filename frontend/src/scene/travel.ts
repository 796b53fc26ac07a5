import { edgeKey } from '@/graph';
import type { VisibleRange } from './camera';
import type { Edge, Layout, Point } from './types';

// How a drawing changes into the next one after an edit: pure, without React or DOM.

/** How long cards and edges travel, in milliseconds. Cards have the same duration in Canvas.module.css. */
export const TRAVEL = 160;
/** If more cards are mounted, or more edges would travel, nothing travels. */
export const MOST_TRAVELLING = 300;

/** The way from one layout to the next. Edges are named by `edgeKey`. */
export interface Travel {
  /** The edges that move, with the points where they begin. */
  moving: ReadonlyMap<string, readonly Point[]>;
  /** The edges that were not there before, and those that are there no more. */
  fresh: ReadonlySet<string>;
  gone: readonly Edge[];
}

const nameOf = ({ from, to }: Edge): string => edgeKey(from, to);

/**
 * The way from one layout to the next within a range, beginning at the points where each edge is drawn now. Undefined
 * if no edge changes, or too many do.
 */
export function travelBetween(
  before: Layout,
  after: Layout,
  range: VisibleRange,
  drawnAt: (edge: Edge) => readonly Point[],
): Travel | undefined {
  const old = new Map(before.edges.map((edge) => [nameOf(edge), edge]));
  const moving = new Map<string, readonly Point[]>();
  const fresh = new Set<string>();
  for (const edge of after.edges) {
    const name = nameOf(edge);
    const was = old.get(name);
    old.delete(name);
    if (!was) fresh.add(name);
    else {
      const from = drawnAt(was);
      if (!isSame(from, edge.points) && (isIn(range, from) || isIn(range, edge.points))) moving.set(name, from);
    }
  }
  const gone = [...old.values()].filter((edge) => isIn(range, edge.points));
  const count = moving.size + fresh.size + gone.length;
  return count === 0 || count > MOST_TRAVELLING ? undefined : { moving, fresh, gone };
}

const isSame = (a: readonly Point[], b: readonly Point[]): boolean =>
  a === b || (a.length === b.length && a.every(({ x, y }, i) => x === b[i]?.x && y === b[i].y));

const isIn = ({ top, bottom }: VisibleRange, points: readonly Point[]): boolean =>
  (points[0]?.y ?? Infinity) <= bottom && (points.at(-1)?.y ?? -Infinity) >= top;

/** The points of an edge on its way, from 0 to 1. The ends stay at their cards if the numbers of points differ. */
export function pointsBetween(from: readonly Point[], to: readonly Point[], part: number): Point[] {
  const count = Math.max(from.length, to.length);
  const at = (points: readonly Point[], i: number): Point =>
    points[count > 1 ? Math.round((i * (points.length - 1)) / (count - 1)) : 0] ?? { x: 0, y: 0 };
  return Array.from({ length: count }, (_, i) => {
    const [a, b] = [at(from, i), at(to, i)];
    return { x: a.x + (b.x - a.x) * part, y: a.y + (b.y - a.y) * part };
  });
}

/** The part of the way after a part of the time: `ease-out` of CSS, with which cards travel. */
export function easeOut(time: number): number {
  if (time <= 0) return 0;
  if (time >= 1) return 1;
  let [low, high] = [0, 1];
  for (let i = 0; i < 16; i++) {
    const s = (low + high) / 2;
    if (3 * (1 - s) * s * s * 0.58 + s * s * s < time) low = s;
    else high = s;
  }
  const s = (low + high) / 2;
  return 3 * (1 - s) * s * s + s * s * s;
}
