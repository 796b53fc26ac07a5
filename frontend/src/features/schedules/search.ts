import { withInvalidUnset } from '@/ui/searchParams';

/** The search part of the address of the schedules page. */
export interface SchedulesSearch {
  /** Shows only schedules that have all these words in their names, titles, tags or owners. */
  q?: string;
  /** Shows only schedules of one kind. */
  show?: Show;
  /** Shows only schedules with this tag. */
  tag?: string;
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

/** Checks the search part of an address. Invalid values are left out. */
export function checkSchedulesSearch(s: Record<string, unknown>): SchedulesSearch {
  const out: SchedulesSearch = {
    q: (typeof s.q === 'string' || typeof s.q === 'number') && s.q !== '' ? String(s.q) : undefined,
    show: SHOWS.includes(s.show) ? (s.show as Show) : undefined,
    tag: (typeof s.tag === 'string' || typeof s.tag === 'number') && s.tag !== '' ? String(s.tag) : undefined,
    sort: SORTS.includes(s.sort) ? (s.sort as SortBy) : undefined,
    desc: s.desc === true ? true : undefined,
  };
  return withInvalidUnset(out, s);
}
