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

/**
 * The loaded rows in the order of a search. The default order is that of the server, which alone knows what needs a
 * person: after a live change the rows are read again. The other orders are those of a value that the rows show, so a
 * live change moves them at once.
 */
export function sortedRows(rows: readonly Schedule[], search: SchedulesSearch): readonly Schedule[] {
  if (search.sort === undefined) return rows;
  const byName = (a: Schedule, b: Schedule) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
  const sortKey = SORT_KEYS[search.sort];
  const sign = search.desc ? -1 : 1;
  // Each key is computed once: each live change sorts the rows.
  const keyed = rows.map((s) => ({ s, key: sortKey(s) }));
  keyed.sort(({ s: a, key: x }, { s: b, key: y }) => {
    if (x === y) return search.sort === 'name' ? sign * byName(a, b) : byName(a, b);
    // Rows without a value come last in both directions.
    if (x === undefined || y === undefined) return x === undefined ? 1 : -1;
    return sign * (x - y);
  });
  return keyed.map(({ s }) => s);
}

const SORT_KEYS: Record<'name' | 'next' | 'usual', (s: Schedule) => number | undefined> = {
  name: () => 0,
  next: (s) => (s.enabled && s.nextAt?.[0] ? time(s.nextAt[0]) : undefined),
  usual: (s) => s.usualSeconds,
};

/**
 * Whether a change of a batch may move the row of its schedule in the default order: the batch is new to the row, or
 * its state is another one, or it was closed or opened again, or its first task failed.
 */
export function mayMoveRow(s: Schedule, change: Summary): boolean {
  if (change.kind === 'adhoc') return false;
  const known = s.recent?.find((b) => b.id === change.id);
  if (!known) return true;
  const now = toRecent(change, known);
  const hasFailed = (b: Recent) => (b.counts.failed ?? 0) > 0;
  return now.state !== known.state || now.closed !== known.closed || hasFailed(now) !== hasFailed(known);
}

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
