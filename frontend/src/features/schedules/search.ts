import { withInvalidUnset } from '@/ui/searchParams';

/** The search part of the address of the schedules page. */
export interface SchedulesSearch {
  /** Shows only schedules that have all these words in their names, titles, tags or owners. */
  q?: string;
  /** Shows only schedules of one kind. */
  show?: Show;
  /** Shows only schedules with this tag. */
  tag?: string;
  /** Shows only the schedules of an owner. */
  owner?: string;
  sort?: SortBy;
  desc?: boolean;
}

/**
 * The kind of the shown schedules. `person`: schedules that wait for a person. Archived schedules have a list of their
 * own.
 */
export type Show = 'person' | 'running' | 'late' | 'disabled' | 'archived';
/** The sort key: the name, the next moment, or the usual duration. */
export type SortBy = 'name' | 'next' | 'usual';

const SHOWS: readonly unknown[] = ['person', 'running', 'late', 'disabled', 'archived'];
const SORTS: readonly unknown[] = ['name', 'next', 'usual'];

// The router parses values of the address as JSON: a text such as 7 arrives as a number.
const text = (v: unknown) => (typeof v === 'string' || typeof v === 'number' ? String(v) || undefined : undefined);

/** Checks the search part of an address. Invalid values are left out. */
export function checkSchedulesSearch(s: Record<string, unknown>): SchedulesSearch {
  const out: SchedulesSearch = {
    q: text(s.q),
    show: SHOWS.includes(s.show) ? (s.show as Show) : undefined,
    tag: text(s.tag),
    owner: text(s.owner),
    sort: SORTS.includes(s.sort) ? (s.sort as SortBy) : undefined,
    desc: s.desc === true ? true : undefined,
  };
  return withInvalidUnset(out, s);
}
