import type { Schemas } from '@/api/client';
import { shardName, shardsOf, type TaskRun } from '@/live';
import type { ShownState } from '@/ui/states';

type Attempt = Schemas['Attempt'];

/** An attempt as a bar. Times are in milliseconds since 1970; a running attempt has no end. */
export interface Bar {
  from: number;
  to?: number;
  state: ShownState;
  attempt: number;
  round: number;
  /** When it was offered to the executor, if known. */
  offered?: number;
  /** Name of the executor; empty if unknown. */
  executor: string;
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

/** A moment in milliseconds since 1970. */
export const millisOf = (moment: string | undefined) => (moment ? Date.parse(moment) : undefined);

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
    offered: millisOf(a.offeredAt),
    executor: a.executor,
  };
}

/**
 * Returns a function that makes a row for each run, with a bar for each of its attempts. Attempts are read only from
 * time to time, so the run is newer: it decides about its latest attempt. The rows of unchanged runs stay the same
 * objects, so that a large batch makes only the changed ones again.
 */
export function newRows(): (runs: readonly TaskRun[], attempts: readonly Attempt[]) => Row[] {
  let known: { attempts: readonly Attempt[]; byTask: Map<string, Bar[]>; rows: readonly Row[] } | undefined;
  return (runs, attempts) => {
    const before = known?.attempts === attempts ? known : undefined;
    const byTask = before?.byTask ?? barsByTask(attempts);
    const rows = runs.map((run, n) => {
      const old = before?.rows[n];
      return old?.run === run ? old : rowOf(run, byTask.get(run.key) ?? []);
    });
    known = { attempts, byTask, rows };
    return rows;
  };
}

/** Returns a function that makes the rows of a task's shards. The attempts are looked through once they are needed. */
export function shardRows(attempts: readonly Attempt[]): (row: Row) => readonly Row[] {
  let byTask: Map<string, Bar[]> | undefined;
  return ({ run }) =>
    shardsOf(run).map((shard) => rowOf(shard, (byTask ??= barsByTask(attempts)).get(shard.key) ?? []));
}

function barsByTask(attempts: readonly Attempt[]): Map<string, Bar[]> {
  const byTask = new Map<string, Bar[]>();
  for (const a of attempts) {
    const bar = barOf(a);
    if (!bar) continue;
    if (a.shard === undefined) barsOf(byTask, a.task).push(bar);
    else {
      barsOf(byTask, shardName(a.task, a.shard)).push(bar);
      addToRound(barsOf(byTask, a.task), bar);
    }
  }
  return byTask;
}

function barsOf(byTask: Map<string, Bar[]>, task: string): Bar[] {
  const known = byTask.get(task);
  if (known) return known;
  const bars: Bar[] = [];
  byTask.set(task, bars);
  return bars;
}

/**
 * Adds an attempt of a shard to the bars of its task. The run of a task with shards has no attempts: it has a bar for
 * each round, from the first start of a shard to the last end.
 */
function addToRound(bars: Bar[], of: Bar): void {
  const bar = bars.find(({ round }) => round === of.round);
  if (!bar) {
    bars.push({ ...of, attempt: 0, offered: undefined, executor: '' });
    return;
  }
  bar.from = Math.min(bar.from, of.from);
  bar.to = bar.to === undefined || of.to === undefined ? undefined : Math.max(bar.to, of.to);
  if (bar.state !== 'failed' && of.state !== 'succeeded') bar.state = of.state;
}

/** The row of a run. `known` are the bars of the attempts that were read. */
function rowOf(run: TaskRun, known: readonly Bar[]): Row {
  // The run itself says when the shards of its present round began and ended.
  const bars = known.filter(({ round }) => !run.shards || round < run.round);
  const from = millisOf(run.startedAt);
  const latest = bars.at(-1);
  if (from !== undefined && (!latest || from > latest.from)) {
    bars.push({
      from,
      to: millisOf(run.finishedAt),
      state: barState(run),
      attempt: run.attempts,
      round: run.round,
      executor: run.executor,
    });
  } else if (latest && latest.to === undefined && from === latest.from) {
    const ended = millisOf(run.finishedAt);
    bars[bars.length - 1] = {
      ...latest,
      to: ended,
      state: ended === undefined && run.state !== 'unknown' ? latest.state : barState(run),
    };
  }
  return { run, bars };
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

/** The end of a bar: now, if it has none. */
export const endOf = (bar: Bar, now: number) => bar.to ?? Math.max(now, bar.from);

/** The start of each round after the first, by its first bar. */
export function roundStarts(rows: readonly Row[]): { round: number; at: number }[] {
  const starts = new Map<number, number>();
  for (const { bars } of rows)
    for (const b of bars) if (b.round > 1) starts.set(b.round, Math.min(b.from, starts.get(b.round) ?? Infinity));
  return [...starts].map(([round, from]) => ({ round, at: from })).sort((a, b) => a.round - b.round);
}
