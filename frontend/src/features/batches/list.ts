import type { Schemas } from '@/api/client';
import { momentOf } from './query';
import { type BatchesSearch, statesOf } from './search';

/** A batch without its task runs. */
export type Batch = Schemas['BatchSummary'];

/**
 * Whether a batch matches a filter at a moment in milliseconds, as far as the batch itself shows it: see
 * `isDecidable`.
 */
export function matches(b: Batch, f: BatchesSearch, now: number, zone?: string): boolean {
  return (
    isWithin(b.startedAt ?? b.createdAt, f.since, f.until, now, zone) &&
    isWithin(b.moment, f.momentFrom, f.momentTo, now, zone) &&
    (f.schedule === undefined || b.schedule === f.schedule) &&
    (f.kind === undefined ? b.kind !== 'hook' : b.kind === f.kind) &&
    (f.backfill === undefined || b.backfill === f.backfill) &&
    (f.state === undefined || statesOf(f.state).includes(b.state)) &&
    (f.by === undefined || isStartedBy(b, f.by))
  );
}

/** Whether a batch itself shows whether it matches a filter. Otherwise only the server can decide it. */
export function isDecidable({ tag, owner, executor, param, longer, by, needs }: BatchesSearch): boolean {
  return (
    [tag, owner, executor, param, longer, needs].every((v) => v === undefined) && by !== 'cron' && by !== 'webhook'
  );
}

function isWithin(at: string, from: string | undefined, to: string | undefined, now: number, zone?: string): boolean {
  const [low, high, ms] = [momentOf(from, now, zone), momentOf(to, now, zone), Date.parse(at)];
  return (low === undefined || ms >= low) && (high === undefined || ms < high);
}

function isStartedBy(b: Batch, by: string): boolean {
  switch (by) {
    case 'cron':
    case 'webhook':
      return b.kind === 'scheduled';
    case 'schedule':
      return b.kind === 'dependent';
    case 'backfill':
      return b.kind === 'backfill';
    case 'person':
      return b.createdBy !== '';
    default:
      return b.createdBy === by.replace(/^person:/, '');
  }
}

/** The batches of the page. */
export interface Lists {
  /** The shown batches, newest first. */
  shown: readonly Batch[];
  /** New batches that are not shown yet, newest first. */
  waiting: readonly Batch[];
}

/** How `applyChanges` treats batches that are not in the lists. */
export interface ChangeOptions {
  filter: BatchesSearch;
  /** Whether the user is at the top of the page. */
  atTop: boolean;
  /** Whether the shown list has no further page. */
  complete: boolean;
  /** The current moment in milliseconds. */
  now: number;
  /** The zone of the times of the filter. */
  zone?: string;
}

/**
 * Applies changes to the lists. A shown batch changes in place. Other batches that match the filter are added in their
 * order while the user is at the top, and wait otherwise, so that the rows do not move. For the same reason, a batch
 * that no longer matches the filter is removed only while the user is at the top.
 *
 * Changes do not arrive in the order of the batches: an added batch may be older than a shown one. A batch that belongs
 * to a page that is not loaded yet is left out. So is each new one if only the server can decide whether it matches.
 */
export function applyChanges(lists: Lists, changes: readonly Batch[], options: ChangeOptions): Lists {
  const { filter, atTop, complete, now, zone } = options;
  const byId = new Map(changes.map((b) => [b.id, b]));
  const update = (b: Batch) => {
    const change = byId.get(b.id);
    return change
      ? { ...b, ...change, counts: change.counts ?? b.counts, usualSeconds: change.usualSeconds ?? b.usualSeconds }
      : b;
  };
  const listed = new Set([...lists.shown, ...lists.waiting].map((b) => b.id));
  const oldest = complete ? 0 : (lists.shown.at(-1)?.id ?? 0);
  const added = [...byId.values()].filter(
    (b) => b.id > oldest && !listed.has(b.id) && isDecidable(filter) && matches(b, filter, now, zone),
  );
  // A backfill also lists batches of others that it runs again.
  const kept = { ...filter, backfill: undefined, since: undefined };
  const stays = (b: Batch) => !byId.has(b.id) || matches(b, kept, now, zone);
  const shown = lists.shown.map(update);
  const waiting = [...added, ...lists.waiting.map(update)].filter(stays).sort(newestFirst);
  return atTop ? { shown: [...waiting, ...shown.filter(stays)].sort(newestFirst), waiting: [] } : { shown, waiting };
}

const newestFirst = (a: Batch, b: Batch) => b.id - a.id;

/** The duration of the current round of a batch in milliseconds, until `now` if the batch is live. */
export function durationOf(b: Batch, now: number): number | undefined {
  const from = b.roundAt ?? b.startedAt;
  if (!from) return undefined;
  const end = b.live || !b.finishedAt ? now : Date.parse(b.finishedAt);
  return Math.max(0, end - Date.parse(from));
}

/** `slow` if a duration is more than twice the usual one, which must be at least a second. */
export function paceOf(ms: number | undefined, usualSeconds: number | undefined): 'slow' | undefined {
  return ms !== undefined && usualSeconds !== undefined && usualSeconds >= 1 && ms > 2000 * usualSeconds
    ? 'slow'
    : undefined;
}
