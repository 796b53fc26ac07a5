import type { TFunction } from 'i18next';
import type { components } from '@/api/schema';

/** The state of a task run. */
export type RunState = components['schemas']['RunState'];
/** The state of a batch. */
export type BatchState = components['schemas']['BatchState'];

/**
 * A state that pages show: a state of a run or batch, or one that is derived from other fields. `retrying`: ready, but
 * waiting after a failure. `paused`: running, but no new task starts. `none`: nothing has run yet.
 */
export type ShownState = RunState | BatchState | 'retrying' | 'paused' | 'none';

/** The states that change only by a repair. */
export const FINAL: ReadonlySet<ShownState> = new Set(['succeeded', 'failed', 'canceled', 'skipped', 'ignored']);

/** The order of states in counts and tables: states that need a person first. */
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

/** Whether a person declared the state of a run, and nothing ran. */
export function isDeclared(run: { state: RunState; reason: string }): boolean {
  return run.reason === 'person' && (run.state === 'succeeded' || run.state === 'ignored');
}

type Explained = Pick<components['schemas']['TaskRun'], 'state' | 'reason'> &
  Partial<Pick<components['schemas']['TaskRun'], 'detail' | 'cause' | 'exitCode' | 'executor' | 'hold'>>;

/** The `t` of any namespace. It is called with full names of texts in the namespace `states`. */
type Translate = (...args: never[]) => unknown;

/** The text in the namespace `states` for a code of the server; empty for an unknown code. */
function lookUp(t: Translate, path: string, values: Record<string, unknown> = {}): string {
  return String((t as TFunction)(`states:${path}`, { ...values, defaultValue: '' }));
}

/**
 * Why a run is in its state, as a short phrase in the language of the user: `exit code 1`, `because b failed`, `all
 * slots are taken`. Empty if there is nothing to add to the state. It never contains the error itself.
 */
export function reasonText(run: Explained, t: Translate): string {
  if (run.state === 'ready' && run.hold) return waitReasonText(run.hold, t);
  const values = { cause: run.cause, who: run.detail, code: run.exitCode, executor: run.executor };
  switch (run.reason) {
    case '':
      return '';
    case 'exit':
      return lookUp(t, run.exitCode === undefined ? 'reason.work' : 'reason.exit', values);
    case 'person':
      return lookUp(t, run.detail ? 'reason.personNamed' : 'reason.person', values);
    case 'upstream_failed':
      return lookUp(t, run.cause ? 'reason.upstream_failed' : 'reason.upstream', values);
    default:
      return lookUp(t, `reason.${run.reason}`, values) || run.reason;
  }
}

/** Why no executor takes a ready task, by the code in the field `hold` of its run. */
export function waitReasonText(waitReason: string, t: Translate): string {
  return lookUp(t, `hold.${waitReason}`) || waitReason;
}

/** The text for a code of a reason, in the language of the user. */
export function reasonCodeText(reason: string, t: Translate): string {
  return lookUp(t, `reason.${reason}`) || reason;
}
