import { edgeKey, redundantNeeds, wouldBeRedundant } from '@/graph';
import { placesOf, taskOf } from './ops';
import type { Doc, Task } from './types';

/** Why a dependency is not allowed. `refusalText` puts it in words. */
export interface Refusal {
  code: 'self' | 'same_job' | 'upwards' | 'twice' | 'unknown';
  params: { from: string; to: string; job: string };
  /** What can be done instead: `offerText` puts it in words, `accept` makes a command of it. */
  offer?: 'moveTargetLater' | 'otherWay';
}

/** Something to know about a dependency that is allowed. `noteText` puts it in words. */
export interface Note {
  code: 'redundant';
  params: { from: string; to: string };
}

/**
 * Why `to` may not need `from`; undefined if it may. It looks at these two only, since each move of the pointer asks.
 */
export function refuse(doc: Doc, from: string, to: string): Refusal | undefined {
  const [a, b] = [placesOf(doc).get(from), placesOf(doc).get(to)];
  const refused = (code: Refusal['code'], offer?: Refusal['offer']): Refusal => ({
    code,
    params: { from, to, job: doc.jobs[b?.job ?? -1]?.key ?? '' },
    ...(offer ? { offer } : {}),
  });
  if (!a || !b) return refused('unknown');
  if (from === to) return refused('self');
  if (taskOf(doc, to)?.needs?.includes(from)) return refused('twice');
  if (a.job === b.job) return refused('same_job', 'moveTargetLater');
  if (a.job > b.job) return refused('upwards', taskOf(doc, from)?.needs?.includes(to) ? undefined : 'otherWay');
  return undefined;
}

/** What to know about a dependency that is allowed: that it would change nothing. */
export function note(doc: Doc, from: string, to: string): Note | undefined {
  if (refuse(doc, from, to)) return undefined;
  return wouldBeRedundant(doc, from, to) ? { code: 'redundant', params: { from, to } } : undefined;
}

/** The redundant needs of one task. */
export const redundantNeedsOf = (doc: Doc, task: Task): string[] =>
  (task.needs ?? []).filter((need) => redundantNeeds(doc).has(edgeKey(need, task.key)));
