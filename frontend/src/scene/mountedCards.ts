import type { Box, Layout, Rect } from './types';
import { boxesIn } from './walk';

/**
 * How many cards are mounted in a frame at most; more would be felt while the view moves. One more may be unmounted.
 */
export const MOUNTS_PER_FRAME = { moving: 3, still: 9 } as const;
/** How far around what can be seen cards are mounted ahead, and kept, in scene pixels. */
const AHEAD = 64;
const KEPT = 192;

/** The cards of a frame. */
export interface MountedCards {
  /** The keys of the mounted cards. */
  cards: ReadonlySet<string>;
  /** Cards that can be seen and are mounted in the next frames; outlines stand for them. */
  outlined: readonly Box[];
  /** Nothing is left to do until the view moves. */
  settled: boolean;
}

/** Before the first frame. */
export const NONE_MOUNTED: MountedCards = { cards: new Set(), outlined: [], settled: false };

/**
 * The cards of the next frame: at most `room` cards are mounted, those that can be seen first, and at most one more
 * than that is unmounted, far away. If no card that can be seen is mounted yet, all of them are mounted at once.
 */
export function nextMountedCards(
  { cards, outlined }: MountedCards,
  layout: Layout,
  seen: Rect,
  room: number,
): MountedCards {
  const isVisible = [...boxesIn(layout, seen)];
  const missing = isVisible.filter(({ key }) => !cards.has(key));
  const all = isVisible.length > 0 && missing.length === isVisible.length;
  if (room === 0 && !all) return { cards, outlined, settled: false };
  const ahead = all ? [] : [...boxesIn(layout, grown(seen, AHEAD))].filter(({ key }) => !cards.has(key));
  const wanted = [...missing, ...ahead.filter((box) => !missing.includes(box))];
  const added = all ? missing : wanted.slice(0, room);
  const kept = new Set(Array.from(boxesIn(layout, grown(seen, KEPT)), ({ key }) => key));
  const gone = [...cards].filter((key) => !kept.has(key));
  const removed = all ? gone : gone.slice(0, room + 1);
  const later = all ? [] : missing.slice(room);
  const settled = !all && added.length === wanted.length && removed.length === gone.length;
  if (added.length === 0 && removed.length === 0)
    return { cards, outlined: outlined.length === 0 ? outlined : later, settled };
  const next = new Set(cards);
  for (const key of removed) next.delete(key);
  for (const { key } of added) next.add(key);
  return { cards: next, outlined: later, settled };
}

const grown = ({ x, y, width, height }: Rect, by: number): Rect => ({
  x: x - by,
  y: y - by,
  width: width + 2 * by,
  height: height + 2 * by,
});
