import type { Point } from '@/scene';

/** The ring's radius, to the middles of its signs, and that of a sign, in pixels. */
export const RADIUS = 76;
export const SIGN = 22;
/** Within this no direction is meant. */
const STILL = 26;
/** Room for the words beside signs. */
const WORDS = { width: 96, height: 20 };

/** Where the signs of a ring stand around its middle: the first above, the others clockwise. */
export function ringPlaces(count: number, radius = RADIUS): Point[] {
  return Array.from({ length: count }, (_, i) => {
    const angle = (i / count) * 2 * Math.PI - Math.PI / 2;
    return { x: round(Math.cos(angle) * radius), y: round(Math.sin(angle) * radius) };
  });
}

/** Which sign a direction means; none near the middle. */
export function ringAt(count: number, { x, y }: Point, still = STILL): number | undefined {
  if (count === 0 || Math.hypot(x, y) < still) return undefined;
  const part = (Math.atan2(y, x) + Math.PI / 2) / (2 * Math.PI);
  return ((Math.round(part * count) % count) + count) % count;
}

/** The middle nearest to a wanted one from which nothing of the ring is cut off. Where there is too little room, the middle of it. */
export function ringMiddle(wanted: Point, place: { width: number; height: number }): Point {
  const along = (at: number, length: number, reach: number) =>
    length < 2 * reach ? length / 2 : Math.max(reach, Math.min(length - reach, at));
  return {
    x: along(wanted.x, place.width, RADIUS + WORDS.width / 2 + 8),
    y: along(wanted.y, place.height, RADIUS + SIGN + WORDS.height + 4),
  };
}

/** Which sign a key goes to from another: around the ring, or to its ends. */
export function ringStep(count: number, from: number, key: string): number | undefined {
  if (key === 'ArrowRight' || key === 'ArrowDown') return (from + 1) % count;
  if (key === 'ArrowLeft' || key === 'ArrowUp') return (from - 1 + count) % count;
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : undefined;
}

const round = (n: number) => Math.round(n * 10) / 10;
