import type { TaskRun } from '@/live';
import { nextOrder, type Order as OrderOf, parseOrder } from '@/ui/searchParams';
import { doneShards } from '@/ui/ShardStrip';
import { type ShownState, shownState, STATE_ORDER } from '@/ui/states';

/** The columns that the table can be sorted by. */
export const COLUMNS = [
  'task',
  'job',
  'state',
  'started',
  'duration',
  'attempts',
  'executor',
  'exit',
  'error',
] as const;
/** A column that the table can be sorted by, as an address spells it. */
export type Column = (typeof COLUMNS)[number];

/** The column by which the table is sorted, and the direction. */
export type Order = OrderOf<Column>;
export { nextOrder };

/** The order of an address; undefined means the order of the definition. */
export const orderOf = (text: string | undefined): Order | undefined => parseOrder(COLUMNS, text);

/** The duration of the latest attempt of a run in milliseconds, until `now` if it has not ended. */
export function durationOf(run: TaskRun, now: number): number | undefined {
  if (!run.startedAt) return undefined;
  const to = run.finishedAt ? Date.parse(run.finishedAt) : isUnderWay(run) ? now : undefined;
  return to === undefined ? undefined : Math.max(0, to - Date.parse(run.startedAt));
}

/** Whether the latest attempt of a run has not ended. This includes runs whose executor is lost. */
export const isUnderWay = (run: TaskRun) => run.state === 'running' || run.state === 'unknown';

const RANK = new Map(STATE_ORDER.map((state, n) => [state, n]));

/** The titles of tasks and jobs by key. Those without a title are not in the maps. */
export interface Titles {
  tasks: ReadonlyMap<string, string>;
  jobs: ReadonlyMap<string, string>;
}
const NO_TITLES: Titles = { tasks: new Map(), jobs: new Map() };

function valueOf(run: TaskRun, column: Column, titles: Titles): string | number | undefined {
  switch (column) {
    case 'task':
      return titles.tasks.get(run.key) ?? run.key;
    case 'job':
      return titles.jobs.get(run.job) ?? run.job;
    case 'state':
      return RANK.get(shownState(run));
    case 'started':
      return run.startedAt && Date.parse(run.startedAt);
    case 'duration':
      return durationOf(run, Date.now());
    case 'attempts':
      return attemptsOf(run);
    case 'executor':
      return run.executor || undefined;
    case 'exit':
      return run.exitCode;
    case 'error':
      return run.error || undefined;
  }
}

/** A sharded task shows how many of its shards are done. */
const attemptsOf = ({ shards, attempts }: TaskRun) => (shards ? doneShards(shards) : attempts);

const collator = new Intl.Collator('en', { numeric: true });

function compare(a: string | number, b: string | number): number {
  return typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(String(a), String(b));
}

/**
 * The rows whose key or title matches the search, sorted by the shown values. Rows without a value in the column come
 * last in both directions.
 */
export function rowsToShow(
  runs: readonly TaskRun[],
  filter: { q?: string; only?: string },
  order?: Order,
  titles = NO_TITLES,
): readonly TaskRun[] {
  const q = filter.q?.toLowerCase();
  const matching = runs.filter(
    (run) =>
      (!filter.only || shownState(run) === (filter.only as ShownState)) &&
      (!q ||
        [run.key, titles.tasks.get(run.key), run.job, titles.jobs.get(run.job), run.executor, run.error].some((text) =>
          text?.toLowerCase().includes(q),
        )),
  );
  if (!order) return matching;
  const sign = order.down ? -1 : 1;
  return matching
    .map((run) => [valueOf(run, order.column, titles), run] as const)
    .sort(([a, x], [b, y]) => {
      if (a === undefined || b === undefined)
        return Number(a === undefined) - Number(b === undefined) || x.number - y.number;
      return sign * compare(a, b) || x.number - y.number;
    })
    .map(([, run]) => run);
}
