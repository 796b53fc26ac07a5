import type { TFunction } from 'i18next';
import type { components } from '@/api/schema';

type Explained = Pick<components['schemas']['TaskRun'], 'state' | 'reason'> &
  Partial<Pick<components['schemas']['TaskRun'], 'detail' | 'cause' | 'exitCode' | 'executor' | 'hold'>>;

/** Any `t`: it is asked for texts of the namespace `states` by their full name. */
type Words = (...args: never[]) => unknown;

/** A text of the namespace `states` by a code of the server's; empty for one that this page does not know. */
function known(t: Words, path: string, values: Record<string, unknown> = {}): string {
  return String((t as TFunction)(`states:${path}`, { ...values, defaultValue: '' }));
}

/**
 * Why a run is in its state, as a short phrase in the reader's language: `exit code 1`, `because b failed`, `all slots are
 * taken`. Empty if there is nothing to say beside the state. It never holds the error itself.
 */
export function reasonWords(run: Explained, t: Words): string {
  if (run.state === 'ready' && run.hold) return holdWords(run.hold, t);
  const values = { cause: run.cause, who: run.detail, code: run.exitCode, executor: run.executor };
  switch (run.reason) {
    case '':
      return '';
    case 'exit':
      return known(t, run.exitCode === undefined ? 'reason.work' : 'reason.exit', values);
    case 'person':
      return known(t, run.detail ? 'reason.personNamed' : 'reason.person', values);
    case 'upstream_failed':
      return known(t, run.cause ? 'reason.upstream_failed' : 'reason.upstream', values);
    default:
      return known(t, `reason.${run.reason}`, values) || run.reason;
  }
}

/** Why no executor takes a ready task, by the code that its run carries in `hold`. */
export function holdWords(hold: string, t: Words): string {
  return known(t, `hold.${hold}`) || hold;
}

/** A reason of the server's by its code alone, in the reader's language. */
export function codeWords(reason: string, t: Words): string {
  return known(t, `reason.${reason}`) || reason;
}
