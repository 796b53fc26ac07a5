import { exact } from '@/ui/time';
import { endOf, type Row } from './rows';

/** A period of time with a constant scale. A pause, in which nothing ran, is drawn as a narrow break. */
export interface Piece {
  from: number;
  to: number;
  x0: number;
  x1: number;
  pause: boolean;
}

/** The time axis: its pieces from left to right, and conversions between moments (ms since 1970) and pixels. */
export interface Scale {
  pieces: readonly Piece[];
  /** The x coordinate of a moment, in pixels. Moments outside the axis are moved to its ends. */
  x: (moment: number) => number;
  /** The moment at an x coordinate. */
  at: (x: number) => number;
}

/** What the axis must contain, besides the bars. */
export interface Span {
  /** The start of the batch; 0 if the first bar is the start. */
  begin?: number;
  now: number;
  /** The axis reaches at least to this moment. */
  until: number;
  /** Pixels. */
  width: number;
}

/** Width of a break, in pixels. */
const BREAK_WIDTH = 34;
/** A pause of more milliseconds becomes a break, if it would be wider than a break. */
const MIN_PAUSE = 60_000;
/** The shortest axis, in milliseconds. */
const LEAST = 20;

interface Pause {
  from: number;
  to: number;
}

/** The periods in which nothing ran, and the first and the last moment of the axis. */
function pausesOf(rows: readonly Row[], { begin = 0, now, until }: Span) {
  const spans = rows
    .flatMap((row) => row.bars.map((b) => [b.from, endOf(b, now)] as const))
    .sort((a, b) => a[0] - b[0]);
  const first = Math.min(spans[0]?.[0] ?? Infinity, begin > 0 ? begin : Infinity, spans[0] || begin ? Infinity : now);
  const pauses: Pause[] = [];
  let end = first;
  for (const [from, to] of spans) {
    if (from - end > MIN_PAUSE) pauses.push({ from: end, to: from });
    end = Math.max(end, to);
  }
  return { first, last: Math.max(end, until, first + LEAST), pauses };
}

/**
 * Maps time to pixels. Pauses of more than a minute, as between a failure at night and its repair next day, become
 * narrow breaks.
 */
export function scaleOf(rows: readonly Row[], span: Span): Scale {
  const { first, last, pauses } = pausesOf(rows, span);
  const { width } = span;
  // A break must not be wider than the pause is without it. The longest pauses become breaks first, since each break
  // leaves more pixels for the rest.
  const breaks: Pause[] = [];
  let [cut, room] = [0, width];
  for (const p of [...pauses].sort((a, b) => b.to - b.from - (a.to - a.from))) {
    const natural = (room * (p.to - p.from)) / (last - first - cut);
    if (natural <= BREAK_WIDTH || room < 2 * BREAK_WIDTH) break;
    breaks.push(p);
    cut += p.to - p.from;
    room -= BREAK_WIDTH;
  }
  breaks.sort((a, b) => a.from - b.from);
  const busy = last - first - cut; // 0 if no attempt has a length yet
  const perMs = busy > 0 ? room / busy : 0;
  const pieces: Piece[] = [];
  let [t, x] = [first, 0];
  const add = (to: number, w: number, pause: boolean) => {
    pieces.push({ from: t, to, x0: x, x1: x + w, pause });
    [t, x] = [to, x + w];
  };
  for (const { from, to } of breaks) {
    add(from, (from - t) * perMs, false);
    add(to, BREAK_WIDTH, true);
  }
  add(last, (last - t) * perMs, false);
  const part = (v: number, from: number, to: number) =>
    to > from ? Math.min(1, Math.max(0, (v - from) / (to - from))) : 0;
  const end = pieces[pieces.length - 1] ?? { from: first, to: last, x0: 0, x1: 0 };
  return {
    pieces,
    x: (moment) => {
      const p = pieces.find(({ to }) => moment <= to) ?? end;
      return p.x0 + part(moment, p.from, p.to) * (p.x1 - p.x0);
    },
    at: (px) => {
      const p = pieces.find(({ x1 }) => px <= x1) ?? end;
      return p.from + part(px, p.x0, p.x1) * (p.to - p.from);
    },
  };
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500].concat(
  [1, 2, 5, 10, 15, 30].map((n) => n * SECOND),
  [1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  [1, 2, 3, 6, 12, 24, 48, 168].map((n) => n * HOUR),
);

/** A mark on the axis: its x coordinate in pixels, its moment in milliseconds since 1970, and its label. */
export interface Tick {
  x: number;
  at: number;
  label: string;
}

/** A time of day in a zone, with milliseconds if the axis is that short. */
export function timeOf(at: number, zone: string | undefined, step = SECOND): string {
  const text = exact(at, { zone, seconds: step < MINUTE }).slice(11);
  return step < SECOND ? `${text}.${String(Math.floor(at % SECOND)).padStart(3, '0')}` : text;
}

/** Marks on the axis at full minutes, hours or days of the zone, at least `gap` pixels apart. */
export function ticksOf(scale: Scale, zone: string | undefined, gap = 84): Tick[] {
  const ticks: Tick[] = [];
  for (const p of scale.pieces) {
    if (p.pause || p.x1 - p.x0 < 1) continue;
    const minStep = ((p.to - p.from) / (p.x1 - p.x0)) * gap;
    const step = STEPS.find((s) => s >= minStep) ?? Math.ceil(minStep / (168 * HOUR)) * 168 * HOUR;
    const shift =
      Date.parse(`${exact(p.from, { zone, seconds: true }).replace(' ', 'T')}Z`) - Math.floor(p.from / SECOND) * SECOND;
    for (let t = Math.ceil((p.from + shift) / step) * step - shift; t <= p.to; t += step)
      ticks.push({
        at: t,
        x: scale.x(t),
        label: step >= 24 * HOUR ? exact(t, { zone }).slice(5, 10) : timeOf(t, zone, step),
      });
  }
  return ticks;
}

/** The end of the axis. For a running batch, it leaves space for the remaining usual duration. */
export function expectedEnd(
  batch: { live: boolean; startedAt?: string; roundAt?: string; round: number; usualSeconds?: number },
  now: number,
): number {
  if (!batch.live || !batch.startedAt) return 0;
  const usual = batch.round === 1 && batch.usualSeconds ? Date.parse(batch.startedAt) + batch.usualSeconds * 1000 : 0;
  const passed = now - Date.parse(batch.roundAt ?? batch.startedAt);
  return Math.max(usual, now + passed * 0.06);
}
