import type { TaskRun } from '@/live';
import { type ShownState, shownState, STATE_ORDER } from '@/ui/states';
import { endOf, type Row } from './rows';

/** The order of rows: jobs as they are defined, the first start, or what needs a person first. */
export type LineOrder = 'job' | 'started' | 'failed';

/** A task. `row` is its number among all rows. */
export interface TaskLine {
  kind: 'task';
  key: string;
  row: number;
}

/** A shard of a task, below the line of the task. */
export interface ShardLine {
  kind: 'shard';
  /** The name of the shard. */
  key: string;
  shard: Row;
}

/** The head of a job. */
export interface JobLine {
  kind: 'job';
  key: string;
  job: string;
  /** Position of the job, from 1. */
  number: number;
  folded: boolean;
  /** The rows of the job that are shown or folded. */
  rows: readonly number[];
  counts: Partial<Record<ShownState, number>>;
}

/** A line of the timeline. */
export type Line = TaskLine | ShardLine | JobLine;

/** More tasks than this are folded at first. */
export const FOLD_ABOVE = 100;

/** Which lines to show. */
export interface Arrangement {
  order: LineOrder;
  /** The rows to show; the others do not match the search. */
  shown: readonly TaskRun[];
  isFolded: (job: string) => boolean;
  /** The shards of a task that are shown; none while they are folded. */
  shardsOf?: (row: Row) => readonly Row[];
}

const RANK = new Map(STATE_ORDER.map((state, n) => [state, n]));

/** The lines in their order. Only the order of jobs has heads, and only if tasks have jobs. */
export function linesOf(rows: readonly Row[], { order, shown, isFolded, shardsOf }: Arrangement): Line[] {
  const numberOf = new Map(rows.map(({ run }, n) => [run.key, n]));
  const numbers = shown.flatMap((run) => numberOf.get(run.key) ?? []);
  const task = (n: number): Line[] => {
    const row = rows[n];
    if (!row) return [];
    const shards = shardsOf?.(row) ?? [];
    return [
      { kind: 'task', key: row.run.key, row: n },
      ...shards.map((shard): ShardLine => ({ kind: 'shard', key: shard.run.key, shard })),
    ];
  };
  if (order !== 'job') return sorted(rows, numbers, order).flatMap(task);
  const positions = new Map<string, number>();
  for (const { run } of rows) if (!positions.has(run.job)) positions.set(run.job, positions.size + 1);
  if (positions.size === 1 && positions.has('')) return numbers.flatMap(task);
  const byJob = new Map<string, number[]>();
  for (const n of numbers) {
    const job = rows[n]?.run.job ?? '';
    const list = byJob.get(job);
    if (list) list.push(n);
    else byJob.set(job, [n]);
  }
  return [...byJob].flatMap(([job, list]): Line[] => {
    const folded = isFolded(job);
    const head: JobLine = {
      kind: 'job',
      key: `/${job}`,
      job,
      number: positions.get(job) ?? 0,
      folded,
      rows: list,
      counts: countsOf(rows, list),
    };
    return folded ? [head] : [head, ...list.flatMap(task)];
  });
}

function sorted(rows: readonly Row[], numbers: readonly number[], order: 'started' | 'failed'): number[] {
  const start = (n: number) => rows[n]?.bars[0]?.from ?? Infinity;
  const rank = (n: number) => {
    const run = rows[n]?.run;
    return run ? (RANK.get(shownState(run)) ?? 0) : 0;
  };
  const byStart = (a: number, b: number) => (start(a) === start(b) ? a - b : start(a) - start(b));
  return [...numbers].sort((a, b) => (order === 'failed' ? rank(a) - rank(b) || byStart(a, b) : byStart(a, b)));
}

function countsOf(rows: readonly Row[], numbers: readonly number[]): JobLine['counts'] {
  const counts: JobLine['counts'] = {};
  for (const n of numbers) {
    const run = rows[n]?.run;
    if (run) counts[shownState(run)] = (counts[shownState(run)] ?? 0) + 1;
  }
  return counts;
}

/** When something of a job ran: periods that overlap or are close together are one. */
export function spansOf(rows: readonly Row[], numbers: readonly number[], now: number, close = 0): [number, number][] {
  const all = numbers
    .flatMap((n) => rows[n]?.bars ?? [])
    .map((b): [number, number] => [b.from, endOf(b, now)])
    .sort((a, b) => a[0] - b[0]);
  const out: [number, number][] = [];
  for (const [from, to] of all) {
    const last = out.at(-1);
    if (last && from <= last[1] + close) last[1] = Math.max(last[1], to);
    else out.push([from, to]);
  }
  return out;
}

/** The lines on which something ran at a moment. */
export function ranAt(rows: readonly Row[], line: Line | undefined, moment: number, now: number): boolean {
  const isOn = (row: Row | undefined) => row?.bars.some((b) => b.from <= moment && moment < endOf(b, now)) ?? false;
  if (!line) return false;
  if (line.kind === 'shard') return isOn(line.shard);
  return line.kind === 'task' ? isOn(rows[line.row]) : line.folded && line.rows.some((n) => isOn(rows[n]));
}
