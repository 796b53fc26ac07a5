import type { TFunction } from 'i18next';
import type { components } from '@/api/schema';

type Explained = Pick<components['schemas']['TaskRun'], 'state' | 'reason'> &
  Partial<Pick<components['schemas']['TaskRun'], 'detail' | 'cause' | 'exitCode' | 'executor' | 'hold'>>;

/** Any `t`: it is asked for texts of the namespace `states` by their full name. */
type Translate = (...args: never[]) => unknown;

/** A text of the namespace `states` by a code of the server's; empty for one that this page does not know. */
function lookUp(t: Translate, path: string, values: Record<string, unknown> = {}): string {
  return String((t as TFunction)(`states:${path}`, { ...values, defaultValue: '' }));
}

/**
 * Why a run is in its state, as a short phrase in the reader's language: `exit code 1`, `because b failed`, `all slots
 * are taken`. Empty if there is nothing to add to the state. It never contains the error itself.
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

/** Why no executor takes a ready task, by the code that its run carries in `hold`. */
export function waitReasonText(waitReason: string, t: Translate): string {
  return lookUp(t, `hold.${waitReason}`) || waitReason;
}

/** A reason of the server's by its code alone, in the reader's language. */
export function reasonCodeText(reason: string, t: Translate): string {
  return lookUp(t, `reason.${reason}`) || reason;
}
