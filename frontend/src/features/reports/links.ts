import type { ReportQuery } from './useReports';

/** The search part of the grid of runs that shows the batches of these days. */
export function gridSearch({ from, to }: Pick<ReportQuery, 'from' | 'to'>, failed = false) {
  return { from, to, failed: failed ? (true as const) : undefined, n: 365 as const };
}

/** The search part of the list of batches that shows a state on a day, such as `2026-11-27`. */
export function listSearch(day: string, state: string | undefined) {
  const next = new Date(`${day}T00:00:00Z`);
  next.setUTCDate(next.getUTCDate() + 1);
  return { state, since: day, until: next.toISOString().slice(0, 10) };
}
