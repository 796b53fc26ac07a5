import { type Bar, endOf, type Row } from './rows';
import type { WaitKind, Waits } from './waits';

/** A part of the critical path: a task ran, or it waited. `other` is time that nothing explains. */
export interface Part {
  kind: 'ran' | WaitKind | 'other';
  from: number;
  to: number;
}

/** A task on the critical path, from the end of the one before to its own end. */
export interface Step {
  /** The number of the row. */
  row: number;
  from: number;
  to: number;
  parts: readonly Part[];
}

/** The chain of tasks that decided when something happened. */
export interface CriticalPath {
  /** Where it leads: to the end of the batch, to what failed first, or to what is expected to end last. */
  to: 'end' | 'failure' | 'now';
  steps: readonly Step[];
  /** Milliseconds, by kind; together they are the time from the start of the round to the end of the path. */
  sums: Readonly<Partial<Record<Part['kind'], number>>>;
  total: number;
}

/** What the path depends on, besides the rows. */
export interface Aim {
  round: number;
  live: boolean;
  /** The keys of the tasks whose failure is allowed. */
  allowed: ReadonlySet<string>;
  /** The usual durations of tasks, by key, in milliseconds. */
  usual?: ReadonlyMap<string, { took: number }>;
}

const barsIn = (row: Row | undefined, round: number): readonly Bar[] =>
  row?.bars.filter((b) => b.round === round) ?? [];

/** When a bar was offered, or when it began, if that is earlier or if the offer is unknown. */
const offerOf = (bar: Bar): number => Math.min(bar.offered ?? bar.from, bar.from);

/** The first failure of the round, else the row that ended last or is expected to end last. */
function targetOf(rows: readonly Row[], now: number, aim: Aim): { row: number; to: CriticalPath['to'] } | undefined {
  let failed: number | undefined;
  let last: number | undefined;
  let [failedAt, lastAt] = [Infinity, -Infinity];
  rows.forEach((row, n) => {
    const bar = barsIn(row, aim.round).at(-1);
    if (!bar) return;
    if (row.run.state === 'failed' && !aim.allowed.has(row.run.key) && (bar.to ?? now) < failedAt)
      [failed, failedAt] = [n, bar.to ?? now];
    const expected = bar.to ?? Math.max(now, bar.from + (aim.usual?.get(row.run.key)?.took ?? 0));
    if (expected > lastAt) [last, lastAt] = [n, expected];
  });
  if (failed !== undefined) return { row: failed, to: 'failure' };
  return last === undefined ? undefined : { row: last, to: aim.live ? 'now' : 'end' };
}

/**
 * The critical path of the current round. From its target it is followed back, each time to the need that ended last,
 * until the start of the round.
 */
export function criticalPathOf(waits: Waits, aim: Aim): CriticalPath | undefined {
  const { rows, now, rounds } = waits.flow;
  const target = targetOf(rows, now, aim);
  if (!target) return undefined;
  const steps = stepsTo(waits, aim.round, target.row);
  const begin = rounds.get(aim.round) ?? steps[0]?.from ?? 0;
  const end = steps.at(-1)?.to ?? begin;
  return { to: target.to, steps, sums: sumsOf(steps, begin), total: Math.max(0, end - begin) };
}

/** The steps that lead to a row, first to last. */
function stepsTo(waits: Waits, round: number, target: number): Step[] {
  const { rows, now } = waits.flow;
  const steps: Step[] = [];
  let [row, limit]: [number | undefined, number] = [target, Infinity];
  while (row !== undefined) {
    const bars = barsIn(rows[row], round).filter((b) => endOf(b, now) <= limit);
    const [first, last] = [bars[0], bars.at(-1)];
    const to: number = last ? endOf(last, now) : limit;
    const ready = waits.ready(row, round, first ? offerOf(first) : to);
    const from = Number.isFinite(ready.at) ? ready.at : (first?.from ?? to);
    if (first) steps.push({ row, from, to, parts: partsOf(waits, row, bars, from, to) });
    [row, limit] = [ready.last, ready.at];
  }
  return steps.reverse();
}

/** The time of steps by kind. The gaps before and between them count as `other`. */
function sumsOf(steps: readonly Step[], begin: number): CriticalPath['sums'] {
  const sums: Partial<Record<Part['kind'], number>> = {};
  const add = (kind: Part['kind'], time: number) => {
    sums[kind] = (sums[kind] ?? 0) + time;
  };
  let at = begin;
  for (const step of steps) {
    if (step.from > at) add('other', step.from - at);
    for (const part of step.parts) add(part.kind, part.to - part.from);
    at = step.to;
  }
  return sums;
}

/** Cuts the time of a step into what ran and what waited. */
function partsOf(waits: Waits, row: number, bars: readonly Bar[], from: number, to: number): Part[] {
  const { now } = waits.flow;
  const all: Part[] = [
    ...bars.map((b): Part => ({ kind: 'ran', from: b.from, to: endOf(b, now) })),
    ...waits.of(row).map((w): Part => ({ kind: w.kind, from: w.from, to: w.to ?? now })),
  ].sort((a, b) => a.from - b.from || a.to - b.to);
  const parts: Part[] = [];
  let at = from;
  for (const part of all) {
    const [start, end] = [Math.max(at, part.from), Math.min(to, part.to)];
    if (end <= start) continue;
    if (start > at) parts.push({ kind: 'other', from: at, to: start });
    parts.push({ kind: part.kind, from: start, to: end });
    at = end;
  }
  if (to > at) parts.push({ kind: 'other', from: at, to });
  return parts;
}

/**
 * How many milliseconds later each row of the round could have ended without making the round longer, if all waits for
 * slots had been as long. Undefined for rows that did not run in the round, and while something runs.
 */
export function slackOf(waits: Waits, round: number): readonly (number | undefined)[] {
  const { rows, now } = waits.flow;
  const barsOf = rows.map((row) => barsIn(row, round));
  const end = barsOf.reduce((latest, bars) => bars.reduce((sum, b) => Math.max(sum, endOf(b, now)), latest), -Infinity);
  const latest = rows.map(() => end); // when each row may end
  for (let n = rows.length - 1; n >= 0; n--) {
    const bars = barsOf[n] ?? [];
    const [first, last] = [bars[0], bars.at(-1)];
    const ready = waits.ready(n, round, first ? offerOf(first) : Infinity);
    const span = last && Number.isFinite(ready.at) ? endOf(last, now) - ready.at : 0;
    const may = (latest[n] ?? end) - span;
    for (const need of waits.needsOf(n)) if (may < (latest[need] ?? end)) latest[need] = may;
  }
  return rows.map((_, n) => {
    const last = barsOf[n]?.at(-1);
    return last?.to === undefined ? undefined : Math.max(0, (latest[n] ?? end) - last.to);
  });
}
