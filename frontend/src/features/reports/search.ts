import { withInvalidUnset } from '@/ui/searchParams';

/** The filters of a report, by their names in the address and in the API. */
export const FILTERS = ['schedule', 'tag', 'owner', 'executor', 'by', 'param'] as const;
/** The values of filters. `by` is what made the batches, `param` is `name=value`, several separated by commas. */
export type ReportFilters = Partial<Record<(typeof FILTERS)[number], string>>;

/** What the page of reports shows, in the search part of its address. */
export interface ReportsSearch extends ReportFilters {
  /** The number of days up to today; undefined means 30. */
  days?: 7 | 90;
  /** What the rows of the table of batches are; undefined means schedules. */
  rows?: 'tag' | 'owner';
}

// The router parses values of the address as JSON: a text such as 7 arrives as a number.
const text = (v: unknown) => (typeof v === 'string' || typeof v === 'number' ? String(v) || undefined : undefined);

/** Checks the search part of an address. Invalid values are left out. */
export function checkReportsSearch(s: Record<string, unknown>): ReportsSearch {
  const param = text(s.param);
  return withInvalidUnset(
    {
      schedule: text(s.schedule),
      tag: text(s.tag),
      owner: text(s.owner),
      executor: text(s.executor),
      by: text(s.by),
      param: param !== undefined && /^[^=,]+=/.test(param) ? param : undefined,
      days: s.days === 7 || s.days === 90 ? s.days : undefined,
      rows: s.rows === 'tag' || s.rows === 'owner' ? s.rows : undefined,
    },
    s,
  );
}

/** The filters of an address, without the rest of it. */
export function filtersOf({ schedule, tag, owner, executor, by, param }: ReportFilters): ReportFilters {
  return { schedule, tag, owner, executor, by, param };
}

/** Whether filters select batches themselves, not only schedules: no list of one schedule has such filters. */
export function selectsBatches({ executor, by, param }: ReportFilters): boolean {
  return [executor, by, param].some((v) => v !== undefined);
}
