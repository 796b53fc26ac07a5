import { effectiveTasks } from '@/api/defaults';
import type { Definition } from '@/api/definition';
import { byNumber, type TaskGraph } from '@/graph';
import { readDuration } from '@/ui/duration';
import { type Bar, endOf, millisOf, type Row } from './rows';

/**
 * What a task waited for. `needs`: the rest of the tasks that it needs. `slot`: an executor with a free slot. `retry`:
 * the pause before the next attempt. `start`: it was offered to an executor, which had not started it yet.
 */
export type WaitKind = 'needs' | 'slot' | 'retry' | 'start';

/** A wait before a bar. A wait that goes on has no end. */
export interface Wait {
  kind: WaitKind;
  from: number;
  to?: number;
  /** The attempt that it ended with; undefined while it goes on. */
  attempt?: number;
}

/** Everything that waits depend on. */
export interface Flow {
  rows: readonly Row[];
  graph?: TaskGraph;
  /** The start of each round, by its number. */
  rounds: ReadonlyMap<number, number>;
  /** The milliseconds before the next attempt, after so many failures of a task in a round. */
  pauseOf: (task: string, failures: number) => number;
  live: boolean;
  now: number;
}

/**
 * The pauses before retries, as the server computes them: delay × backoff^(n-1), at most maxDelay. With jitter it is
 * the longest possible pause: an attempt that comes earlier has waited for nothing else.
 */
export function retryPauses(definition: Definition | undefined): Flow['pauseOf'] {
  const retries = new Map(effectiveTasks(definition).map((task) => [task.key, task.retry]));
  return (task, failures) => {
    const { delay, backoff = 1, maxDelay, jitter = 0 } = retries.get(task) ?? {};
    const most = maxDelay === undefined ? 0 : (readDuration(maxDelay) ?? 0);
    const pause = (readDuration(delay ?? '') ?? 0) * Math.pow(backoff > 0 ? backoff : 1, failures - 1) * (1 + jitter);
    return most > 0 ? Math.min(pause, most) : pause;
  };
}

/** The start of each round: of the first and the current one as the batch says, else the first offer of the round. */
export function roundsOf(
  rows: readonly Row[],
  batch: { startedAt?: string; round: number; roundAt?: string },
): ReadonlyMap<number, number> {
  const out = new Map<number, number>();
  for (const { bars } of rows)
    for (const b of bars) out.set(b.round, Math.min(b.offered ?? b.from, out.get(b.round) ?? Infinity));
  const [first, current] = [millisOf(batch.startedAt), millisOf(batch.roundAt)];
  if (first !== undefined) out.set(1, first);
  if (current !== undefined) out.set(batch.round, current);
  return out;
}

/** When a task became ready, and which of the tasks that it needs ended first and last before. */
export interface Ready {
  /** The end of the last need. */
  at: number;
  /** The end of the first need. */
  first: number;
  /** The number of the row that ended last; undefined if the round started later, or the task needs none. */
  last?: number;
}

/** Answers what happened before the bars of each row. Rows count from 0, in the order of the definition. */
export class Waits {
  private readonly memo = new Map<number, Wait[]>();
  private readonly needs: readonly (readonly number[])[];
  private readonly ends: (number | undefined)[] = [];

  constructor(readonly flow: Flow) {
    this.needs = needsOf(flow);
    // What a row needs stands before it.
    flow.rows.forEach((row, n) => this.ends.push(this.endOfRow(row, n)));
  }

  /** The rows that a row needs. */
  needsOf(row: number): readonly number[] {
    return this.needs[row] ?? [];
  }

  /** When the first attempt of a round could have started, by the ends of its needs before `limit`. */
  ready(row: number, round: number, limit: number): Ready {
    const start = this.flow.rounds.get(round) ?? -Infinity;
    const out: Ready = { at: start, first: Infinity };
    for (const need of this.needsOf(row)) {
      const end = this.endBefore(need, limit);
      if (end === undefined || end <= start) continue;
      out.first = Math.min(out.first, end);
      if (end > out.at || out.last === undefined) [out.at, out.last] = [end, need];
    }
    return out;
  }

  /** The waits of a row, from first to last. */
  of(row: number): readonly Wait[] {
    const known = this.memo.get(row);
    if (known) return known;
    const waits = this.compute(row).filter(({ from, to = this.flow.now }) => to > from);
    this.memo.set(row, waits);
    return waits;
  }

  /** The latest end of a row until a moment. A row without bars passes on the end of its needs. */
  endBefore(row: number, limit: number): number | undefined {
    const end = this.ends[row];
    if (end === undefined || end <= limit) return end;
    const bars = this.flow.rows[row]?.bars ?? [];
    return bars.findLast((b) => b.to !== undefined && b.to <= limit)?.to;
  }

  private endOfRow({ run, bars }: Row, row: number): number | undefined {
    const last = bars.at(-1);
    if (last) return last.to;
    return run.state === 'waiting' || run.state === 'ready'
      ? undefined
      : (millisOf(run.finishedAt) ?? this.passed(row));
  }

  private passed(row: number): number | undefined {
    return this.needsOf(row).reduce<number | undefined>((latest, need) => {
      const end = this.ends[need];
      return end !== undefined && end > (latest ?? -Infinity) ? end : latest;
    }, undefined);
  }

  private compute(row: number): Wait[] {
    const { run, bars } = this.flow.rows[row] ?? {};
    if (!run || !bars) return [];
    const waits = bars.flatMap((bar, i) => this.before(row, bar, bars[i - 1], failures(bars, i)));
    const isOpen = this.flow.live && (run.state === 'ready' || run.state === 'waiting');
    return isOpen ? [...waits, ...this.open(row)] : waits;
  }

  private before(row: number, bar: Bar, former: Bar | undefined, failed: number): Wait[] {
    const offered = Math.min(bar.offered ?? bar.from, bar.from);
    const { attempt } = bar;
    const start: Wait = { kind: 'start', from: offered, to: bar.from, attempt };
    if (former?.round === bar.round) {
      const end = former.to ?? offered;
      const pause = Math.min(offered, end + this.pauseAfter(row, former, failed));
      return [
        { kind: 'retry', from: end, to: pause, attempt },
        { kind: 'slot', from: pause, to: offered, attempt },
        start,
      ];
    }
    const ready = this.ready(row, bar.round, offered);
    return [
      { kind: 'needs', from: ready.first, to: ready.at, attempt },
      { kind: 'slot', from: Number.isFinite(ready.at) ? ready.at : offered, to: offered, attempt },
      start,
    ];
  }

  /** The wait that goes on now. */
  private open(row: number): Wait[] {
    const { now } = this.flow;
    const { run, bars } = this.flow.rows[row] ?? {};
    if (!run || !bars) return [];
    const former = bars.at(-1);
    if (former?.round === run.round) {
      const end = former.to ?? now;
      const until = millisOf(run.notBefore) ?? end;
      return until >= now
        ? [{ kind: 'retry', from: end }]
        : [
            { kind: 'retry', from: end, to: until },
            { kind: 'slot', from: until },
          ];
    }
    const ready = this.ready(row, run.round, now);
    if (run.state === 'waiting') return Number.isFinite(ready.first) ? [{ kind: 'needs', from: ready.first }] : [];
    if (!Number.isFinite(ready.at)) return [];
    return [
      { kind: 'needs', from: ready.first, to: ready.at },
      { kind: 'slot', from: ready.at },
    ];
  }

  /** Lost attempts are repeated at once. */
  private pauseAfter(row: number, former: Bar, failed: number): number {
    return former.state === 'failed' ? this.flow.pauseOf(this.flow.rows[row]?.run.key ?? '', failed) : 0;
  }
}

/** The failures of a round before a bar. */
function failures(bars: readonly Bar[], before: number): number {
  const round = bars[before]?.round;
  return bars.slice(0, before).filter((b) => b.round === round && b.state === 'failed').length;
}

/** The rows that each row needs. A task that waits for all needs the tasks of all earlier jobs. */
function needsOf({ rows, graph }: Flow): readonly (readonly number[])[] {
  if (!graph) return [];
  const g = byNumber(graph);
  const rowOf = new Map(rows.map(({ run }, n) => [run.key, n]));
  const all = new Map<number, readonly number[]>(); // by lane: the rows of all earlier lanes
  return rows.map(({ run }) => {
    const task = g.byKey.get(run.key);
    if (task === undefined) return [];
    if (!g.tasks[task]?.waitsForAll)
      return (g.needs[task] ?? []).flatMap((n) => rowOf.get(g.tasks[n]?.key ?? '') ?? []);
    const lane = g.laneOf[task] ?? 0;
    const shared =
      all.get(lane) ??
      g.lanes.slice(0, lane).flatMap((tasks) => tasks.flatMap((n) => rowOf.get(g.tasks[n]?.key ?? '') ?? []));
    all.set(lane, shared);
    return shared;
  });
}

/** The rows whose bars overlap a wait and use the same group or executor, longest overlap first. */
export function holdersOf(
  rows: readonly Row[],
  row: Row,
  wait: Wait,
  now: number,
  groupOf: (task: string) => string,
): string[] {
  const to = wait.to ?? now;
  const executor = row.bars.find((b) => b.attempt === wait.attempt)?.executor ?? '';
  const group = groupOf(row.run.key);
  return rows
    .map((other) => {
      const shared = other.bars
        .filter((b) => groupOf(other.run.key) === group || (executor !== '' && b.executor === executor))
        .reduce((sum, b) => sum + Math.max(0, Math.min(to, endOf(b, now)) - Math.max(wait.from, b.from)), 0);
      return [other.run.key, shared] as const;
    })
    .filter(([key, shared]) => shared > 0 && key !== row.run.key)
    .sort((a, b) => b[1] - a[1])
    .map(([key]) => key);
}
