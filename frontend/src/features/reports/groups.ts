import type { Schemas } from '@/api/client';

/** The batches of a schedule over many days. */
export type ScheduleRow = Schemas['ReportSchedule'];
type Counts = Pick<Schemas['ReportGroup'], 'queued' | 'running' | 'succeeded' | 'failed' | 'canceled'>;

/** A row of the table of batches. */
export interface GroupRow {
  /** A schedule, a tag or an owner; '' for batches without one. */
  name: string;
  batches: number;
  succeeded: number;
  failed: number;
  canceled: number;
  late: number;
  /** The share of those that succeeded, of all that succeeded or failed; undefined if there are none. */
  share?: number;
  /** Seconds; only of a schedule. */
  median?: number;
  p95?: number;
  /** By how much the median has changed from the older half of the time to the newer one; 0.1 is a tenth longer. */
  trend?: number;
  /** Seconds from the moment to the start, at the median; only of a schedule. */
  wait?: number;
  /** How many schedules the row adds up. */
  schedules: number;
}

/** The number of batches in all states. */
export function allOf(c: Counts): number {
  return (c.queued ?? 0) + (c.running ?? 0) + (c.succeeded ?? 0) + (c.failed ?? 0) + (c.canceled ?? 0);
}

/** The share of successes; undefined if no batch has succeeded or failed. */
export function shareOf(c: Counts): number | undefined {
  const ended = (c.succeeded ?? 0) + (c.failed ?? 0);
  return ended > 0 ? (c.succeeded ?? 0) / ended : undefined;
}

function countsOf(s: ScheduleRow): Omit<GroupRow, 'name'> {
  return {
    batches: allOf(s),
    succeeded: s.succeeded ?? 0,
    failed: s.failed ?? 0,
    canceled: s.canceled ?? 0,
    late: s.late ?? 0,
    schedules: 1,
  };
}

/** The rows by schedule, or those of all schedules that share a tag or an owner, added up. */
export function groupRows(schedules: readonly ScheduleRow[], by: 'schedule' | 'tag' | 'owner'): GroupRow[] {
  if (by === 'schedule') {
    return schedules.map((s) => ({
      ...countsOf(s),
      name: s.name ?? '',
      share: shareOf(s),
      median: s.took.median,
      p95: s.took.p95,
      trend: s.before !== undefined && s.after !== undefined ? s.after / s.before - 1 : undefined,
      wait: s.wait.count > 0 ? (s.wait.median ?? 0) : undefined,
    }));
  }
  const rows = new Map<string, GroupRow>();
  for (const s of schedules) {
    const names = (by === 'tag' ? s.tags : s.owners) ?? [];
    const own = countsOf(s);
    for (const name of names.length > 0 ? names : ['']) {
      const row = rows.get(name);
      rows.set(name, row === undefined ? { ...own, name } : { ...sum(row, own), name });
    }
  }
  return [...rows.values()]
    .map((row) => ({ ...row, share: shareOf(row) }))
    .sort((a, b) => b.failed - a.failed || b.batches - a.batches);
}

function sum(a: Omit<GroupRow, 'name'>, b: Omit<GroupRow, 'name'>): Omit<GroupRow, 'name'> {
  return {
    batches: a.batches + b.batches,
    succeeded: a.succeeded + b.succeeded,
    failed: a.failed + b.failed,
    canceled: a.canceled + b.canceled,
    late: a.late + b.late,
    schedules: a.schedules + b.schedules,
  };
}

/** Sorts rows by a value. Rows without it come last. */
export function sortedBy<T>(
  rows: readonly T[],
  value: (row: T) => string | number | undefined,
  descending = false,
): T[] {
  const sign = descending ? -1 : 1;
  return [...rows].sort((x, y) => {
    const a = value(x);
    const b = value(y);
    if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? 1 : -1;
    return sign * (typeof a === 'string' ? a.localeCompare(String(b)) : a - Number(b));
  });
}
