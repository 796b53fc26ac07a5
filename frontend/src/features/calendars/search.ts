import { withInvalidUnset } from '@/ui/searchParams';

/** The search part of the address of a calendar. */
export interface CalendarSearch {
  /** The shown year; the current one if it is left out. */
  year?: number;
  view?: 'history';
}

/** Checks the search part of an address. An invalid value is left out. */
export function checkCalendarSearch(s: Record<string, unknown>): CalendarSearch {
  const year = Number(s.year);
  return withInvalidUnset(
    {
      year: Number.isInteger(year) && year >= 1970 && year <= 9999 ? year : undefined,
      view: s.view === 'history' ? ('history' as const) : undefined,
    },
    s,
  );
}
