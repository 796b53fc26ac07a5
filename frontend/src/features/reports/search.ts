import { withInvalidUnset } from '@/ui/searchParams';

/** What the page of reports shows, in the search part of its address. */
export interface ReportsSearch {
  schedule?: string;
  tag?: string;
  owner?: string;
  /** The number of days up to today; undefined means 30. */
  days?: 7 | 90;
  /** What the rows of the table of batches are; undefined means schedules. */
  by?: 'tag' | 'owner';
}

// The router parses values of the address as JSON: a text such as 7 arrives as a number.
const text = (v: unknown) => (typeof v === 'string' || typeof v === 'number' ? String(v) || undefined : undefined);

/** Checks the search part of an address. Invalid values are left out. */
export function checkReportsSearch(s: Record<string, unknown>): ReportsSearch {
  return withInvalidUnset(
    {
      schedule: text(s.schedule),
      tag: text(s.tag),
      owner: text(s.owner),
      days: s.days === 7 || s.days === 90 ? s.days : undefined,
      by: s.by === 'tag' || s.by === 'owner' ? s.by : undefined,
    },
    s,
  );
}
