import { withInvalidUnset } from '@/ui/searchParams';

/** What a link to a batch carries. */
export interface BatchSearch {
  /** How the batch is shown; the graph if left out. */
  view?: 'timeline' | 'table' | 'params' | 'history';
  /** Key of the task whose drawer is open. */
  task?: string;
  /** What the drawer shows; the log if left out. */
  tab?: 'command' | 'outputs' | 'attempts' | 'needs';
  /** Number of the attempt whose log is shown; the latest if left out. */
  attempt?: number;
  /** Offset of the byte in the log at which the line begins that the link is about. */
  at?: number;
  /** Text that rows of the table must hold. */
  q?: string;
  /** State that rows of the table must be in. */
  only?: string;
  /** Column by which the table is sorted, with `-` before it for downwards; the order of the definition if left out. */
  sort?: string;
  /** Round whose end the history shows. */
  round?: number;
}

const VIEWS: readonly unknown[] = ['timeline', 'table', 'params', 'history'];
const TABS: readonly unknown[] = ['command', 'outputs', 'attempts', 'needs'];
const count = (v: unknown, least: number) =>
  Number.isSafeInteger(v) && (v as number) >= least ? (v as number) : undefined;
// What looks like a number or a word of JSON in an address comes as such.
const text = (v: unknown) =>
  typeof v === 'string' || typeof v === 'number' || typeof v === 'boolean' ? String(v) || undefined : undefined;
const word = (v: unknown) => (typeof v === 'string' && /^-?[a-z]+$/i.test(v) ? v : undefined);

/** Reads the search part of an address; what is wrong in it is left out. */
export function checkBatchSearch(s: Record<string, unknown>): BatchSearch {
  const out: BatchSearch = {
    view: VIEWS.includes(s.view) ? (s.view as BatchSearch['view']) : undefined,
    task: text(s.task),
    tab: TABS.includes(s.tab) ? (s.tab as BatchSearch['tab']) : undefined,
    attempt: count(s.attempt, 1),
    at: count(s.at, 0),
    q: text(s.q),
    only: word(s.only),
    sort: word(s.sort),
    round: count(s.round, 1),
  };
  return withInvalidUnset(out, s);
}
