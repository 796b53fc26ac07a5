import type { components } from '@/api/schema';

/** The state of a task run, as the API tells it. */
export type RunState = components['schemas']['RunState'];
/** The state of a batch, as the API tells it. */
export type BatchState = components['schemas']['BatchState'];

/**
 * A state as pages show it: the states of runs and batches, and three that follow from other fields: `retrying` (ready,
 * but waiting for a moment after a failure), `paused` (running, but nothing new starts) and `none` (nothing has run
 * yet).
 */
export type ShownState = RunState | BatchState | 'retrying' | 'paused' | 'none';

/** States in which nothing will happen any more by itself. */
export const FINAL: ReadonlySet<ShownState> = new Set(['succeeded', 'failed', 'canceled', 'skipped', 'ignored']);

/** Order in which states are counted, drawn in a bar, and sorted: what needs a person first. */
export const STATE_ORDER: readonly ShownState[] = [
  'failed',
  'unknown',
  'retrying',
  'running',
  'ready',
  'waiting',
  'queued',
  'canceled',
  'skipped',
  'ignored',
  'succeeded',
  'none',
];

/** The state to show for a batch. */
export function shownBatch(batch: { state: BatchState; wish?: string }): ShownState {
  return batch.state === 'running' && batch.wish === 'pause' ? 'paused' : batch.state;
}

/** The state to show for a task run. */
export function shownState(run: { state: RunState; notBefore?: string }): ShownState {
  return run.state === 'ready' && run.notBefore ? 'retrying' : run.state;
}
