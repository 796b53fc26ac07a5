import type { Schemas } from '@/api/client';
import { exact } from '@/ui';

// The arithmetic of the band. Moments are milliseconds since 1970, lengths are pixels.

/** What ran, runs and will run in a window of time. */
export type Night = Schemas['Night'];
/** One schedule in the window. */
export type NightRow = Schemas['NightRow'];

/** A time from one moment to another. */
export interface Span {
  from: number;
  to: number;
}

/** Places moments on a line of pixels. */
export interface Scale extends Span {
  width: number;
}

/** The place of a moment. It may be outside the line. */
export function placeOf(at: number, { from, to, width }: Scale): number {
  return ((at - from) / (to - from)) * width;
}

/** The moment at a place. */
export function momentAt(x: number, { from, to, width }: Scale): number {
  return from + (x / Math.max(1, width)) * (to - from);
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** The distances between two labels of the axis. */
const STEPS = [
  5 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
  2 * DAY,
  7 * DAY,
];

/** A label of the axis. */
export interface AxisMark {
  at: number;
  /** It is the begin of a day. */
  day: boolean;
}

/**
 * The labels of the axis at local times of a zone, or of the browser, each with at least `room` pixels. Clocks that are
 * put forward or back move the later labels with them.
 */
export function axisOf(scale: Scale, zone?: string, room = 74): AxisMark[] {
  const most = Math.max(1, Math.floor(scale.width / room));
  const step = STEPS.find((s) => (scale.to - scale.from) / s <= most) ?? 14 * DAY;
  const offset = (at: number) =>
    Date.parse(`${exact(at, { zone, seconds: true }).replace(' ', 'T')}Z`) - Math.floor(at / 1000) * 1000;
  const first = offset(scale.from);
  const marks: AxisMark[] = [];
  for (let local = Math.ceil((scale.from + first) / step) * step; ; local += step) {
    const at = local - offset(local - first);
    if (at > scale.to) return marks;
    if (at >= scale.from && at > (marks.at(-1)?.at ?? -Infinity)) marks.push({ at, day: local % DAY === 0 });
  }
}

/** The shortest window that a drag selects. */
const SHORTEST = 10 * MINUTE;
/** The longest window of the server. */
const LONGEST = 14 * DAY;

/** The window of two moments in any order, with whole minutes, neither too short nor too long. */
export function windowOf(a: number, b: number): Span {
  const middle = (a + b) / 2;
  const length = Math.min(LONGEST, Math.max(SHORTEST, Math.abs(b - a)));
  const from = Math.round((middle - length / 2) / MINUTE) * MINUTE;
  return { from, to: from + Math.round(length / MINUTE) * MINUTE };
}

/** A window as the API takes it. */
export function isoOf({ from, to }: Span): { from: string; to: string } {
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
}

/** The rows in the order of the ones that are shown now, followed by those that are new. */
export function keepOrder(shown: readonly string[], rows: readonly NightRow[]): NightRow[] {
  const place = (row: NightRow) => {
    const at = shown.indexOf(row.schedule);
    return at < 0 ? shown.length : at;
  };
  return rows.toSorted((a, b) => place(a) - place(b));
}

/** A time in which more slots are wanted than there are. */
export interface Collision extends Span {
  /** The most that are wanted at one time. */
  wanted: number;
}

/** The times in which more slots are wanted than there are, by their begin. */
export function collisionsOf({ slots, now }: Night): Collision[] {
  const from = Date.parse(now);
  const part = (Date.parse(slots.wantedUntil) - from) / Math.max(1, slots.wanted.length);
  const out: Collision[] = [];
  slots.wanted.forEach((wanted, i) => {
    if (wanted <= slots.there) return;
    const last = out.at(-1);
    const to = from + (i + 1) * part;
    if (last && last.to >= from + i * part - 1) {
      last.to = to;
      last.wanted = Math.max(last.wanted, wanted);
    } else out.push({ from: from + i * part, to, wanted });
  });
  return out;
}

/** The corners of a curve of counts in equal parts of a time, for the path of an SVG. */
export function stepsOf(
  counts: readonly number[],
  time: Span,
  scale: Scale,
  height: (count: number) => number,
): string {
  const part = (time.to - time.from) / Math.max(1, counts.length);
  const at = (i: number) => round(placeOf(time.from + i * part, scale));
  return counts.map((n, i) => `${i === 0 ? 'M' : 'L'}${at(i)} ${round(height(n))}H${at(i + 1)}`).join('');
}

/** A number of pixels with one digit after the point. */
export function round(x: number): string {
  return String(Math.round(x * 10) / 10);
}
