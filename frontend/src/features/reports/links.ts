import { filtersOf, type ReportFilters } from './search';
import type { ReportQuery } from './useReports';

/** The search part of the grid of runs that shows the batches of these days. */
export function gridSearch({ from, to }: Pick<ReportQuery, 'from' | 'to'>, failed = false) {
  return { from, to, failed: failed ? (true as const) : undefined, n: 365 as const };
}

/** The day after a day such as `2026-11-27`. */
function dayAfter(day: string): string {
  const next = new Date(`${day}T00:00:00Z`);
  next.setUTCDate(next.getUTCDate() + 1);
  return next.toISOString().slice(0, 10);
}

/** The search of a link that lists the batches of some days, with the filters of a report. */
export function listSearch(filters: ReportFilters, from: string, to: string, state?: string) {
  return { ...filtersOf(filters), state, since: from, until: dayAfter(to) };
}
