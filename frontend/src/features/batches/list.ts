import type { Schemas } from '@/api/client';
import { type BatchesSearch, statesOf } from './search';

/** A batch without its task runs, as lists of batches hold it. */
export type Batch = Schemas['BatchSummary'];

/** Whether a filter lets a batch through, as the server would; one that changes now is never too old. */
export function matches(b: Batch, f: BatchesSearch): boolean {
  return (
    (f.schedule === undefined || b.schedule === f.schedule) &&
    (f.kind === undefined || b.kind === f.kind) &&
    (f.state === undefined || statesOf(f.state).includes(b.state))
  );
}

/** The batches that the page knows: those that it shows, and those that it holds back so that nothing moves. */
export interface Lists {
  /** What is on the page, newest first. */
  shown: Batch[];
  /** New batches that wait above it until somebody asks for them, newest first. */
  waiting: Batch[];
}

/**
 * The lists after changes. A batch on the page changes in its place. New batches go on top if the reader is at the top,
 * and wait otherwise, so that nothing moves while it is read. For the same reason, a batch that no longer matches the
 * filter leaves only while the reader is at the top.
 */
export function apply(lists: Lists, changes: readonly Batch[], filter: BatchesSearch, atTop: boolean): Lists {
  const byId = new Map(changes.map((b) => [b.id, b]));
  const renew = (b: Batch) => {
    const now = byId.get(b.id);
    return now ? { ...b, ...now, counts: now.counts ?? b.counts, usualSeconds: now.usualSeconds ?? b.usualSeconds } : b;
  };
  const known = new Set([...lists.shown, ...lists.waiting].map((b) => b.id));
  const newest = lists.shown[0]?.id ?? 0;
  const fresh = changes.filter((b) => b.id > newest && !known.has(b.id) && matches(b, filter));
  const stays = (b: Batch) => !byId.has(b.id) || matches(b, filter);
  const shown = lists.shown.map(renew);
  const waiting = [...fresh, ...lists.waiting.map(renew)].filter(stays).sort((a, b) => b.id - a.id);
  return atTop ? { shown: [...waiting, ...shown.filter(stays)], waiting: [] } : { shown, waiting };
}

/** Milliseconds that the current round of a batch has taken, or took. */
export function took(b: Batch, now: number): number | undefined {
  const from = b.roundAt ?? b.startedAt;
  if (!from) return undefined;
  const end = b.live || !b.finishedAt ? now : Date.parse(b.finishedAt);
  return Math.max(0, end - Date.parse(from));
}

/** How a duration stands to the usual one: only what is worth a word. */
export function pace(ms: number | undefined, usualSeconds: number | undefined): 'slow' | undefined {
  return ms !== undefined && usualSeconds !== undefined && usualSeconds >= 1 && ms > 2000 * usualSeconds
    ? 'slow'
    : undefined;
}
