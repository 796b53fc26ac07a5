import type { Point } from '@/scene';

/** The radius of a menu, to the middles of its items, in pixels. */
export const RADIUS = 76;
/** The radius of an item, in pixels. */
export const ITEM_RADIUS = 22;
/** Nearer to the middle than this a pointer chooses no direction, in pixels. */
const DEAD_ZONE = 26;
/** Room for the text in the middle, and beside items, in pixels. */
const TEXT = { width: 96, height: 20 };

/** Where the items stand around the middle: the first above, the others clockwise. */
export function itemPlaces(count: number, radius = RADIUS): Point[] {
  return Array.from({ length: count }, (_, i) => {
    const angle = (i / count) * 2 * Math.PI - Math.PI / 2;
    return { x: round(Math.cos(angle) * radius), y: round(Math.sin(angle) * radius) };
  });
}

/** The number of the item in the direction of a point from the middle; undefined near the middle. */
export function itemAt(count: number, { x, y }: Point, deadZone = DEAD_ZONE): number | undefined {
  if (count === 0 || Math.hypot(x, y) < deadZone) return undefined;
  const part = (Math.atan2(y, x) + Math.PI / 2) / (2 * Math.PI);
  return ((Math.round(part * count) % count) + count) % count;
}

/**
 * The middle of a menu that is wholly within the window, as near as can be to the wanted one; the middle of the window
 * where that is too small.
 */
export function menuMiddle(wanted: Point, place: { width: number; height: number }): Point {
  const along = (at: number, length: number, reach: number) =>
    length < 2 * reach ? length / 2 : Math.max(reach, Math.min(length - reach, at));
  return {
    x: along(wanted.x, place.width, RADIUS + TEXT.width / 2 + 8),
    y: along(wanted.y, place.height, RADIUS + ITEM_RADIUS + TEXT.height + 4),
  };
}

/** The number of the item that a key moves to: around the menu, or to its first or last item. */
export function itemForKey(count: number, from: number, key: string): number | undefined {
  if (key === 'ArrowRight' || key === 'ArrowDown') return (from + 1) % count;
  if (key === 'ArrowLeft' || key === 'ArrowUp') return (from - 1 + count) % count;
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : undefined;
}

const round = (n: number) => Math.round(n * 10) / 10;
