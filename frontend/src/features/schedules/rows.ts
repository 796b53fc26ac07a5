import type { Schemas } from '@/api/client';
import { type ShownState, shownBatch } from '@/ui/states';
import type { SchedulesSearch } from './search';

/** A schedule with its recent batches, without its document. */
export type Schedule = Schemas['ScheduleSummary'];
/** One of the recent batches of a schedule: its state, its times and the counts of its task runs. */
export type Recent = Schemas['RecentBatch'];
type Summary = Schemas['BatchSummary'];

/** How many batches a row shows. */
const MAX_RECENT = 24;
/** The latest batch of a schedule. */
export function latestBatch(s: Schedule): Recent | undefined {
  return s.recent?.at(-1);
}

const isLive = (b: Recent) => b.state === 'queued' || b.state === 'running';

/** The state that a row shows: the state of the latest batch. */
export function rowState(s: Schedule): ShownState {
  const last = latestBatch(s);
  return last ? shownBatch(last) : 'none';
}

/**
 * The batch of a schedule that waits for a person: the latest one if it failed and is not closed, or a live one with a
 * failed task.
 */
export function batchThatNeedsPerson(s: Schedule): Recent | undefined {
  const last = latestBatch(s);
  if (last?.state === 'failed' && !last.closed) return last;
  return s.recent?.findLast((b) => isLive(b) && (b.counts.failed ?? 0) > 0);
}

/** How many batches of the schedule failed and nobody has settled, without the one that its row shows. */
export function otherOpenBatches(s: Schedule): number {
  const last = latestBatch(s);
  return Math.max(0, (s.open ?? 0) - (last && isOpen(last) ? 1 : 0));
}

const isOpen = (b: Recent) => b.state === 'failed' && !b.closed && b.kind !== 'adhoc';

/** Whether something of the schedule waits for a person. */
const needsPerson = (s: Schedule) => (s.open ?? 0) > 0 || batchThatNeedsPerson(s) !== undefined;

/**
 * The loaded rows in the order of a search. The server has them in this order already, but live changes move them. By
 * default, schedules that need a person come first, then those with a live batch, then the others by name.
 */
export function sortedRows(rows: readonly Schedule[], search: SchedulesSearch): Schedule[] {
  const byName = (a: Schedule, b: Schedule) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
  const sortKey = SORT_KEYS[search.sort ?? 'need'];
  const sign = search.desc ? -1 : 1;
  // Each key is computed once: each live change sorts the rows.
  const keyed = rows.map((s) => ({ s, key: sortKey(s) }));
  keyed.sort(({ s: a, key: x }, { s: b, key: y }) => {
    if (x === y) return search.sort === 'name' ? sign * byName(a, b) : byName(a, b);
    // Rows without a value come last in both directions.
    if (x === undefined || y === undefined) return x === undefined ? 1 : -1;
    return search.sort === undefined ? x - y : sign * (x - y);
  });
  return keyed.map(({ s }) => s);
}

const SORT_KEYS: Record<'need' | 'name' | 'next' | 'usual', (s: Schedule) => number | undefined> = {
  need: (s) => (needsPerson(s) ? 0 : (s.recent ?? []).some(isLive) ? 1 : 2),
  name: () => 0,
  next: (s) => (s.enabled && s.nextAt?.[0] ? time(s.nextAt[0]) : undefined),
  usual: (s) => s.usualSeconds,
};

/** Applies changes of batches to a schedule: known batches are replaced in place, later ones are appended. */
export function withBatches(schedule: Schedule, changes: readonly Summary[]): Schedule {
  const ownChanges = changes.filter((b) => b.schedule === schedule.name && b.kind !== 'adhoc');
  if (ownChanges.length === 0) return schedule;
  let recent = schedule.recent ?? [];
  let usual = schedule.usualSeconds;
  let open = schedule.open ?? 0;
  for (const b of ownChanges) {
    usual = b.usualSeconds ?? usual;
    const at = recent.findIndex((r) => r.id === b.id);
    const before = recent[at];
    const updated = toRecent(b, before);
    open += changeOfOpen(updated, before, recent.at(-1));
    if (at >= 0) recent = recent.with(at, updated);
    else if (b.id > (recent.at(-1)?.id ?? 0)) recent = [...recent, updated].slice(-MAX_RECENT);
  }
  return { ...schedule, recent, usualSeconds: usual, open: open > 0 ? open : undefined };
}

/**
 * How many open failures a change adds to a schedule. It is an estimate until the server counts again, because only the
 * server knows which success settles an earlier failure.
 */
function changeOfOpen(updated: Recent, before: Recent | undefined, last: Recent | undefined): number {
  if (!before && updated.id <= (last?.id ?? 0)) return 0; // it is older than what the row knows
  return Number(isOpen(updated)) - Number(before !== undefined && isOpen(before));
}

function toRecent(b: Summary, before?: Recent): Recent {
  return {
    id: b.id,
    state: b.state,
    kind: b.kind,
    wish: b.wish,
    round: b.round,
    moment: b.moment,
    startedAt: b.roundAt ?? b.startedAt,
    finishedAt: b.live ? undefined : b.finishedAt,
    closed: b.closedNote !== undefined || undefined,
    counts: b.counts ?? before?.counts ?? {},
  };
}

function time(at: string): number {
  return new Date(at).getTime();
}
