import type { Box, Layout, Rect } from './types';
import { within } from './walk';

/** Cards that may come in a frame: more would be felt while the view moves. One more may go. */
export const COME = { moving: 3, still: 9 } as const;
/** So far around what can be seen cards are made ahead, and kept, in scene pixels. */
const AHEAD = 64;
const KEPT = 192;

export interface Seats {
  /** The keys of the cards that stand on the page. */
  cards: ReadonlySet<string>;
  /** Those that can be seen and come in the next frames. */
  outlined: readonly Box[];
  /** Nothing is left to do until the view moves. */
  settled: boolean;
}

export const NOBODY: Seats = { cards: new Set(), outlined: [], settled: false };

/**
 * The cards of the next frame: as many come as it has `room` for, first those that can be seen; as few go that are far away.
 * Where none that can be seen is there yet, all of them come at once.
 */
export function nextSeats({ cards, outlined }: Seats, layout: Layout, seen: Rect, room: number): Seats {
  const inSight = [...within(layout, seen)];
  const missing = inSight.filter(({ key }) => !cards.has(key));
  const many = inSight.length > 0 && missing.length === inSight.length;
  if (room === 0 && !many) return { cards, outlined, settled: false };
  const ahead = many ? [] : [...within(layout, grown(seen, AHEAD))].filter(({ key }) => !cards.has(key));
  const wanted = [...missing, ...ahead.filter((box) => !missing.includes(box))];
  const come = many ? missing : wanted.slice(0, room);
  const kept = new Set(Array.from(within(layout, grown(seen, KEPT)), ({ key }) => key));
  const gone = [...cards].filter((key) => !kept.has(key));
  const go = many ? gone : gone.slice(0, room + 1);
  const later = many ? [] : missing.slice(room);
  const settled = !many && come.length === wanted.length && go.length === gone.length;
  if (come.length === 0 && go.length === 0)
    return { cards, outlined: outlined.length === 0 ? outlined : later, settled };
  const next = new Set(cards);
  for (const key of go) next.delete(key);
  for (const { key } of come) next.add(key);
  return { cards: next, outlined: later, settled };
}

const grown = ({ x, y, width, height }: Rect, by: number): Rect => ({
  x: x - by,
  y: y - by,
  width: width + 2 * by,
  height: height + 2 * by,
});
