import type { Schemas } from '@/api/client';
import type { TaskRun } from '@/live';
import type { ShownState } from '@/ui/states';
import { exact } from '@/ui/time';

type Attempt = Schemas['Attempt'];

/** An attempt as a bar. Times are in milliseconds since 1970; a running attempt has no end. */
export interface Bar {
  from: number;
  to?: number;
  state: ShownState;
  attempt: number;
  round: number;
}

/** A task run with its attempts. `bars` is empty until an attempt has started. */
export interface Row {
  run: TaskRun;
  bars: Bar[];
}

const OUTCOMES: Partial<Record<string, ShownState>> = {
  success: 'succeeded',
  failure: 'failed',
  timeout: 'failed',
  refused: 'failed',
  killed: 'canceled',
  lost: 'unknown',
};

const millisOf = (moment: string | undefined) => (moment ? Date.parse(moment) : undefined);

function barOf(a: Attempt): Bar | undefined {
  if (a.outcome === 'returned') return undefined; // it never started
  const from = millisOf(a.startedAt) ?? millisOf(a.finishedAt);
  if (from === undefined) return undefined;
  return {
    from,
    to: millisOf(a.finishedAt),
    state: OUTCOMES[a.outcome ?? ''] ?? 'running',
    attempt: a.number,
    round: a.round,
  };
}

/**
 * A row for each run, with a bar for each of its attempts. Attempts are read only from time to time, so the run is
 * newer: it decides about its latest attempt.
 */
export function rowsOf(runs: readonly TaskRun[], attempts: readonly Attempt[]): Row[] {
  const byTask = new Map<string, Bar[]>();
  for (const a of attempts) {
    const bar = barOf(a);
    if (!bar) continue;
    const bars = byTask.get(a.task);
    if (bars) bars.push(bar);
    else byTask.set(a.task, [bar]);
  }
  return runs.map((run) => {
    const bars = byTask.get(run.key) ?? [];
    const from = millisOf(run.startedAt);
    const latest = bars.at(-1);
    if (from !== undefined && (!latest || from > latest.from)) {
      bars.push({ from, to: millisOf(run.finishedAt), state: barState(run), attempt: run.attempts, round: run.round });
    } else if (latest && latest.to === undefined && from === latest.from) {
      const ended = millisOf(run.finishedAt);
      bars[bars.length - 1] = {
        ...latest,
        to: ended,
        state: ended === undefined && run.state !== 'unknown' ? latest.state : barState(run),
      };
    }
    return { run, bars };
  });
}

/**
 * The rows to show: all rows or only rows with an attempt, in the order of the definition or of the first start. Rows
 * that have not started come last.
 */
export function rowsInOrder(rows: readonly Row[], options: { started?: boolean; byStart?: boolean }): readonly Row[] {
  const selected = options.started ? rows.filter((row) => row.bars.length > 0) : rows;
  if (!options.byStart) return selected;
  const start = (row: Row) => row.bars[0]?.from ?? Infinity;
  return [...selected].sort((a, b) => (start(a) === start(b) ? a.run.number - b.run.number : start(a) - start(b)));
}

/** The state of the latest attempt of a run. A run that waits for a retry has a failed attempt. */
function barState(run: TaskRun): ShownState {
  switch (run.state) {
    case 'ready':
    case 'waiting':
      return run.finishedAt ? 'failed' : 'running';
    case 'skipped':
    case 'ignored':
      return 'canceled';
    default:
      return run.state;
  }
}

/**
 * The current time of the drawing. The clock ticks once a second, so an event after the last tick moves this time
 * forward.
 */
export function nowOf(rows: readonly Row[], tick: number): number {
  let now = tick;
  for (const { bars } of rows) for (const b of bars) now = Math.max(now, b.to ?? b.from);
  return now;
}

/** A period of time with a constant scale. A pause, in which nothing ran, is drawn as a narrow break. */
export interface Piece {
  from: number;
  to: number;
  x0: number;
  x1: number;
  pause: boolean;
}

/** The time axis: its pieces from left to right, and the conversion of moments (milliseconds since 1970) to pixels. */
export interface Scale {
  pieces: readonly Piece[];
  /** The x coordinate of a moment, in pixels. Moments outside the axis are moved to its ends. */
  x: (moment: number) => number;
}

/** Width of a break, in pixels. */
const BREAK_WIDTH = 26;
/** A pause becomes a break if it takes this part of the total time, and this many milliseconds. */
const MIN_PAUSE_PART = 0.25;
const MIN_PAUSE = 120_000;

/**
 * Maps time to pixels. Long pauses, as between a failure at night and its repair in the morning, become narrow breaks.
 * The scale reaches at least to `until`.
 */
export function scaleOf(rows: readonly Row[], now: number, until: number, width: number): Scale {
  const spans = rows
    .flatMap((row) => row.bars.map((b) => [b.from, b.to ?? Math.max(now, b.from)] as const))
    .sort((a, b) => a[0] - b[0]);
  const first = spans[0]?.[0] ?? Math.min(now, until);
  let end = first;
  const pauses: (readonly [number, number])[] = [];
  for (const [from, to] of spans) {
    if (from - end > MIN_PAUSE) pauses.push([end, from]);
    end = Math.max(end, to);
  }
  const last = Math.max(end, until, first + 1000);
  const idle = pauses.reduce((sum, [from, to]) => sum + to - from, 0);
  const breaks = pauses.filter(([from, to]) => to - from > MIN_PAUSE_PART * (last - first - idle));
  const cut = breaks.reduce((sum, [from, to]) => sum + to - from, 0);
  const busy = last - first - cut; // 0 if no attempt has a length yet
  const perMs = busy > 0 ? Math.max(0, width - breaks.length * BREAK_WIDTH) / busy : 0;
  const pieces: Piece[] = [];
  let [t, x] = [first, 0];
  const add = (to: number, w: number, pause: boolean) => {
    pieces.push({ from: t, to, x0: x, x1: x + w, pause });
    [t, x] = [to, x + w];
  };
  for (const [from, to] of breaks) {
    add(from, (from - t) * perMs, false);
    add(to, BREAK_WIDTH, true);
  }
  add(last, (last - t) * perMs, false);
  return {
    pieces,
    x: (moment) => {
      const piece = pieces.find((p) => moment <= p.to) ?? pieces[pieces.length - 1];
      if (!piece) return 0;
      const part = piece.to > piece.from ? (moment - piece.from) / (piece.to - piece.from) : 0;
      return piece.x0 + Math.min(1, Math.max(0, part)) * (piece.x1 - piece.x0);
    },
  };
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const STEPS = [1, 2, 5, 10, 15, 30]
  .map((n) => n * SECOND)
  .concat(
    [1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
    [1, 2, 3, 6, 12, 24, 48, 168].map((n) => n * HOUR),
  );

/** A mark on the axis: its x coordinate in pixels, its moment in milliseconds since 1970, and its label. */
export interface Tick {
  x: number;
  at: number;
  label: string;
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
    for (let t = Math.ceil((p.from + shift) / step) * step - shift; t <= p.to; t += step) {
      const text = exact(t, { zone, seconds: step < MINUTE });
      ticks.push({ at: t, x: scale.x(t), label: step >= 24 * HOUR ? text.slice(5, 10) : text.slice(11) });
    }
  }
  return ticks;
}

/** The start of each round after the first, by its first bar. */
export function roundStarts(rows: readonly Row[]): { round: number; at: number }[] {
  const starts = new Map<number, number>();
  for (const { bars } of rows)
    for (const b of bars) if (b.round > 1) starts.set(b.round, Math.min(b.from, starts.get(b.round) ?? Infinity));
  return [...starts].map(([round, from]) => ({ round, at: from })).sort((a, b) => a.round - b.round);
}
