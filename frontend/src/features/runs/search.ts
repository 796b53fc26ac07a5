import type { Schemas } from '@/api/client';
import { checkedDay, withInvalidUnset } from '@/ui/searchParams';

/** The search part of the address of a schedule's runs. */
export interface RunsSearch {
  /** The number of batches; undefined means 30. */
  n?: Size;
  kind?: Kind;
  /** Only failed batches. */
  failed?: true;
  /** Only batches with a smaller number: a page of older ones. */
  before?: number;
  /** The first and the last day of the batches (`2026-11-26`), in the zone of the schedule. */
  from?: string;
  to?: string;
  /** Only batches with a task on this executor, of this starter (such as `cron`), with these parameters (`a=b`). */
  executor?: string;
  by?: string;
  param?: string;
  /** Keys of the unfolded jobs, separated by commas; `-` for none. Undefined lets the page decide. */
  jobs?: string;
  /** The chosen cell: the number of its batch, and its task. */
  batch?: number;
  task?: string;
}

type Kind = Schemas['BatchKind'];
/** A number of batches to choose from. */
export type Size = 90 | 365;

/** The kinds of batches that a schedule has. */
export const KINDS: readonly Kind[] = ['scheduled', 'manual', 'backfill', 'dependent'];
/** The numbers of batches to choose from. */
export const SIZES = [30, 90, 365] as const;

const positive = (v: unknown) => (Number.isSafeInteger(v) && Number(v) > 0 ? Number(v) : undefined);
// The router parses values of the address as JSON: a text such as 7 or true arrives as a number or boolean.
const text = (v: unknown) =>
  typeof v === 'string' || typeof v === 'number' || typeof v === 'boolean' ? String(v) || undefined : undefined;

/** Checks the search part of an address. Invalid values are left out. */
export function checkRunsSearch(s: Record<string, unknown>): RunsSearch {
  const out: RunsSearch = {
    n: s.n === 90 || s.n === 365 ? s.n : undefined,
    kind: KINDS.find((v) => v === s.kind),
    failed: s.failed === true ? true : undefined,
    before: positive(s.before),
    from: checkedDay(s.from),
    to: checkedDay(s.to),
    executor: text(s.executor),
    by: text(s.by),
    param: text(s.param),
    jobs: text(s.jobs),
    batch: positive(s.batch),
    task: text(s.task),
  };
  return withInvalidUnset(out, s);
}
