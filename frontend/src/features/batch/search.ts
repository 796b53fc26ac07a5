import { withInvalidUnset } from '@/ui/searchParams';

/** The search part of the address of a batch. */
export interface BatchSearch {
  /** The view; undefined means the graph. */
  view?: 'timeline' | 'table' | 'params' | 'history';
  /** Key of the task whose drawer is open. */
  task?: string;
  /** The tab of the drawer; undefined means the log. */
  tab?: 'shards' | 'command' | 'outputs' | 'attempts' | 'needs';
  /** Number of the attempt whose log is shown; undefined means the latest. */
  attempt?: number;
  /** Byte offset of the line in the log that the link refers to. */
  at?: number;
  /** The two attempts whose logs are compared, such as `1-2`. */
  compare?: string;
  /** Text that rows of the table must contain. */
  q?: string;
  /** State that rows of the table must be in. */
  only?: string;
  /**
   * Column by which the table is sorted, with `-` before it for descending. Undefined means the order of the
   * definition.
   */
  sort?: string;
  /** The round that the history shows. */
  round?: number;
}

const VIEWS: readonly unknown[] = ['timeline', 'table', 'params', 'history'];
const TABS: readonly unknown[] = ['shards', 'command', 'outputs', 'attempts', 'needs'];
const integer = (v: unknown, min: number) =>
  Number.isSafeInteger(v) && (v as number) >= min ? (v as number) : undefined;
// The router parses values of the address as JSON: a text such as 7 or true arrives as a number or boolean.
const text = (v: unknown) =>
  typeof v === 'string' || typeof v === 'number' || typeof v === 'boolean' ? String(v) || undefined : undefined;
const identifier = (v: unknown) => (typeof v === 'string' && /^-?[a-z]+$/i.test(v) ? v : undefined);

/** Checks the search part of an address. Invalid values are left out. */
export function checkBatchSearch(s: Record<string, unknown>): BatchSearch {
  const out: BatchSearch = {
    view: VIEWS.includes(s.view) ? (s.view as BatchSearch['view']) : undefined,
    task: text(s.task),
    tab: TABS.includes(s.tab) ? (s.tab as BatchSearch['tab']) : undefined,
    attempt: integer(s.attempt, 1),
    at: integer(s.at, 0),
    compare: typeof s.compare === 'string' && /^\d{1,6}-\d{1,6}$/.test(s.compare) ? s.compare : undefined,
    q: text(s.q),
    only: identifier(s.only),
    sort: identifier(s.sort),
    round: integer(s.round, 1),
  };
  return withInvalidUnset(out, s);
}
