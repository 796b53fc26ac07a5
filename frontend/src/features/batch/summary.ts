import { type Definition, tasksOf } from '@/api/definition';
import type { Batch, TaskRun } from '@/live';
import { type ShownState, shownState } from '@/ui/states';

/** The states of all task runs, counted for the header and the notice. */
export interface Summary {
  /** How many runs are in each shown state. */
  counts: Partial<Record<ShownState, number>>;
  total: number;
  /** Runs that need no action: succeeded, ignored, or failed with allowed failure. */
  done: number;
  /** Failed runs without allowed failure, in the order of the definition. */
  failed: TaskRun[];
  /** Lost runs that wait for a decision of a person. */
  held: TaskRun[];
  /** Runs that were skipped because of a failure. They run once it is repaired. */
  blocked: TaskRun[];
  /** How many runs a resume would start. */
  resumable: number;
}

/** Counts the runs in one pass. `allowed` has the keys of the tasks that may fail. */
export function summarize(runs: readonly TaskRun[], allowed: ReadonlySet<string>): Summary {
  const s: Summary = { counts: {}, total: runs.length, done: 0, failed: [], held: [], blocked: [], resumable: 0 };
  let canceled = 0;
  for (const run of runs) {
    const state = shownState(run);
    s.counts[state] = (s.counts[state] ?? 0) + 1;
    switch (run.state) {
      case 'succeeded':
      case 'ignored':
        s.done++;
        break;
      case 'failed':
        if (allowed.has(run.key)) s.done++;
        else s.failed.push(run);
        break;
      case 'canceled':
        canceled++;
        break;
      case 'skipped':
        if (run.reason === 'upstream_failed') s.blocked.push(run);
        else if (run.reason === 'rule') s.done++;
        break;
      case 'unknown':
        if (run.reason === 'held') s.held.push(run);
        break;
    }
  }
  const direct = s.failed.length + s.held.length + canceled;
  s.resumable = direct > 0 ? direct + s.blocked.length : 0;
  return s;
}

/** The titles of the jobs that have one, by key. */
export function jobTitlesOf(definition: Definition | undefined): ReadonlyMap<string, string> {
  return new Map(definition?.jobs.flatMap(({ key, title }) => (title ? [[key, title] as const] : [])));
}

/** The keys of tasks whose failure is allowed. */
export function allowedToFail(definition: Definition | undefined): ReadonlySet<string> {
  return new Set([...tasksOf(definition).values()].filter((task) => task.allowFailure).map((task) => task.key));
}

/** The duration of the current round in milliseconds, until `now` if it has not ended. Undefined before it began. */
export function elapsed(
  batch: Pick<Batch, 'roundAt' | 'startedAt' | 'finishedAt' | 'live'>,
  now: number,
): number | undefined {
  const from = batch.roundAt ?? batch.startedAt;
  if (!from) return undefined;
  const end = batch.finishedAt && !batch.live ? Date.parse(batch.finishedAt) : now;
  return Math.max(0, end - Date.parse(from));
}

/** The state that the page shows for a batch: the state of the batch, or a condition that matters more. */
export type BatchMood = Batch['state'] | 'paused' | 'canceling' | 'stuck' | 'closed';

/**
 * The state to show for a batch. If several apply, being stuck comes first, then the wish, then the batch's own state.
 */
export function mood(batch: Pick<Batch, 'state' | 'wish' | 'live' | 'stuck' | 'closedNote'>): BatchMood {
  if (batch.stuck) return 'stuck';
  if (batch.live && batch.wish === 'cancel') return 'canceling';
  if (batch.live && batch.wish === 'pause') return 'paused';
  if (batch.state === 'failed' && batch.closedNote !== undefined) return 'closed';
  return batch.state;
}
