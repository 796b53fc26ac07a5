import { withInvalidUnset } from '@/ui/searchParams';

/** What the address of the schedules page carries. */
export interface SchedulesSearch {
  /** Only schedules whose name or title has all these words. */
  q?: string;
  /** Only schedules of one kind. */
  show?: Show;
  sort?: SortBy;
  desc?: boolean;
}

/** Which schedules to show; `person` stands for those that wait for a person. */
export type Show = 'person' | 'running' | 'late' | 'paused';
/** What to sort by: the name, the next moment, or the usual duration. */
export type SortBy = 'name' | 'next' | 'usual';

const SHOWS: readonly unknown[] = ['person', 'running', 'late', 'paused'];
const SORTS: readonly unknown[] = ['name', 'next', 'usual'];

/** Reads the search part of an address; what is wrong in it is left out. */
export function checkSchedulesSearch(s: Record<string, unknown>): SchedulesSearch {
  const out: SchedulesSearch = {
    q: (typeof s.q === 'string' || typeof s.q === 'number') && s.q !== '' ? String(s.q) : undefined,
    show: SHOWS.includes(s.show) ? (s.show as Show) : undefined,
    sort: SORTS.includes(s.sort) ? (s.sort as SortBy) : undefined,
    desc: s.desc === true ? true : undefined,
  };
  return withInvalidUnset(out, s);
}
