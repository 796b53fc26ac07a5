import type { Schemas } from '@/api/client';
import { type BatchesSearch, statesOf } from './search';

/** A batch without its task runs. */
export type Batch = Schemas['BatchSummary'];

/** Whether a changed batch matches a filter. The filter by age is ignored, because the change is new. */
export function matches(b: Batch, f: BatchesSearch): boolean {
  return (
    (f.schedule === undefined || b.schedule === f.schedule) &&
    (f.kind === undefined || b.kind === f.kind) &&
    (f.backfill === undefined || b.backfill === f.backfill) &&
    (f.state === undefined || statesOf(f.state).includes(b.state))
  );
}

/** The batches of the page. */
export interface Lists {
  /** The shown batches, newest first. */
  shown: Batch[];
  /** New batches that are not shown yet, newest first. */
  waiting: Batch[];
}

/**
 * Applies changes to the lists. A shown batch changes in place. New batches are added at the top while the user is at
 * the top, and wait otherwise, so that the rows do not move. For the same reason, a batch that no longer matches the
 * filter is removed only while the user is at the top.
 */
export function applyChanges(lists: Lists, changes: readonly Batch[], filter: BatchesSearch, atTop: boolean): Lists {
  const byId = new Map(changes.map((b) => [b.id, b]));
  const update = (b: Batch) => {
    const change = byId.get(b.id);
    return change
      ? { ...b, ...change, counts: change.counts ?? b.counts, usualSeconds: change.usualSeconds ?? b.usualSeconds }
      : b;
  };
  const listed = new Set([...lists.shown, ...lists.waiting].map((b) => b.id));
  const newest = lists.shown[0]?.id ?? 0;
  const added = changes.filter((b) => b.id > newest && !listed.has(b.id) && matches(b, filter));
  // A backfill also lists batches of others that it runs again.
  const stays = (b: Batch) => !byId.has(b.id) || matches(b, { ...filter, backfill: undefined });
  const shown = lists.shown.map(update);
  const waiting = [...added, ...lists.waiting.map(update)].filter(stays).sort((a, b) => b.id - a.id);
  return atTop ? { shown: [...waiting, ...shown.filter(stays)], waiting: [] } : { shown, waiting };
}

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
