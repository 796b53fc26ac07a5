import type { TFunction } from 'i18next';
import { edgeKey, redundantNeeds, wouldBeRedundant } from '@/graph';
import { freeKey, withNeeds } from './commands';
import { applyOps, type Op, positionsOf, taskOf, tasksOf } from './ops';
import type { Command, Label } from './store';
import type { Doc, Selection, Task } from './types';

/** Why a dependency is not allowed. */
export interface Refusal {
  code: 'self' | 'same_job' | 'upwards' | 'twice' | 'unknown';
  params: { from: string; to: string; job: string };
  /** What can be done instead; `acceptOffer` makes the command. */
  offer?: 'moveTargetLater' | 'otherWay';
}

/** A note on a dependency that is allowed. */
export interface Note {
  code: 'redundant';
  params: { from: string; to: string };
}

/** The text of a refusal. */
export const refusalText = (t: TFunction<'document'>, { code, params }: Refusal): string =>
  t(`refuse.${code}`, { ...params });
/** The text of a note. */
export const noteText = (t: TFunction<'document'>, { code, params }: Note): string => t(`note.${code}`, { ...params });

/** The text of the button for a refusal's offer; undefined without an offer. */
export const offerText = (t: TFunction<'document'>, { offer, params }: Refusal): string | undefined =>
  offer && t(`offer.${offer}`, { ...params });

/**
 * Why `to` may not need `from`; undefined if it may. It checks only these two tasks, since it is called at each move of
 * the pointer.
 */
export function refusalOf(doc: Doc, from: string, to: string): Refusal | undefined {
  const [a, b] = [positionsOf(doc).get(from), positionsOf(doc).get(to)];
  const refusal = (code: Refusal['code'], offer?: Refusal['offer']): Refusal => ({
    code,
    params: { from, to, job: doc.jobs[b?.job ?? -1]?.key ?? '' },
    ...(offer ? { offer } : {}),
  });
  if (!a || !b) return refusal('unknown');
  if (from === to) return refusal('self');
  if (taskOf(doc, to)?.needs?.includes(from)) return refusal('twice');
  if (a.job === b.job) return refusal('same_job', 'moveTargetLater');
  if (a.job > b.job) return refusal('upwards', taskOf(doc, from)?.needs?.includes(to) ? undefined : 'otherWay');
  return undefined;
}

/** A note on a dependency that is allowed but would change nothing; undefined for any other. */
export function noteOf(doc: Doc, from: string, to: string): Note | undefined {
  if (refusalOf(doc, from, to)) return undefined;
  return wouldBeRedundant(doc, from, to) ? { code: 'redundant', params: { from, to } } : undefined;
}

/** The redundant needs of one task. */
export const redundantNeedsOf = (doc: Doc, task: Task): string[] =>
  (task.needs ?? []).filter((need) => redundantNeeds(doc).has(edgeKey(need, task.key)));

/**
 * Makes `to` need `from`. Undefined if `refusalOf` has a reason against it, or if `noteOf` finds that it would change
 * nothing. With `tidy`, needs that become redundant are removed.
 */
export function connect(doc: Doc, from: string, to: string, { tidy = false } = {}): Command | undefined {
  const task = taskOf(doc, to);
  if (!task || refusalOf(doc, from, to) || noteOf(doc, from, to)) return undefined;
  const ops: Op[] = [{ op: 'task.put', key: to, value: withNeeds(task, [...(task.needs ?? []), from]) }];
  const select = { tasks: [], edge: { from, to } };
  const tidying = tidy ? removalsOfRedundant(applyOps(doc, ops).doc, doc) : { ops: [], count: 0 };
  const label: Label =
    tidying.count > 0
      ? { kind: 'connectDropping', params: { from, to, count: tidying.count } }
      : { kind: 'connect', params: { from, to } };
  return { label, ops: [...ops, ...tidying.ops], select };
}

/** The command that a refusal offers instead. */
export function acceptOffer(doc: Doc, { offer, params: { from, to } }: Refusal): Command | undefined {
  if (offer === 'moveTargetLater') return moveTargetLater(doc, from, to);
  return offer === 'otherWay' ? connect(doc, to, from) : undefined;
}

/**
 * Makes `to` need `from`, which is in the same job. First it moves `to` to the next job, or to a new job between the
 * two if tasks of the next job need `to`.
 */
export function moveTargetLater(doc: Doc, from: string, to: string): Command | undefined {
  const position = positionsOf(doc).get(to);
  const job = position && doc.jobs[position.job];
  const task = position && job?.tasks?.[position.index];
  if (!task || refusalOf(doc, from, to)?.code !== 'same_job') return undefined;
  const put: Op = { op: 'task.put', key: to, value: withNeeds(task, [...(task.needs ?? []), from]) };
  const next = doc.jobs[position.job + 1];
  const select: Selection = { tasks: [to] };
  if (next && !next.tasks?.some((other) => other.needs?.includes(to))) {
    return {
      label: { kind: 'moveTargetLater', params: { from, to, job: next.key } },
      ops: [{ op: 'task.move', key: to, job: next.key, index: next.tasks?.length ?? 0 }, put],
      select,
    };
  }
  const newJob = freeKey(
    doc.jobs.map((other) => other.key),
    'job',
  );
  return {
    label: { kind: 'moveTargetLater', params: { from, to, job: newJob } },
    ops: [
      { op: 'job.insert', index: position.job + 1, job: { key: newJob, tasks: [] } },
      { op: 'task.move', key: to, job: newJob, index: 0 },
      put,
    ],
    select,
  };
}

/** Removes a need. */
export function disconnect(doc: Doc, from: string, to: string): Command | undefined {
  const task = taskOf(doc, to);
  if (!task?.needs?.includes(from)) return undefined;
  return {
    label: { kind: 'disconnect', params: { from, to } },
    ops: [
      {
        op: 'task.put',
        key: to,
        value: withNeeds(
          task,
          task.needs.filter((need) => need !== from),
        ),
      },
    ],
    select: { tasks: [] },
  };
}

/** Removes all dependencies of tasks, in both directions. */
export function disconnectAll(doc: Doc, keys: readonly string[]): Command | undefined {
  const keySet = new Set(keys);
  let count = 0;
  const ops = tasksOf(doc).flatMap((task): Op[] => {
    const remaining = keySet.has(task.key) ? [] : (task.needs ?? []).filter((need) => !keySet.has(need));
    const removed = (task.needs?.length ?? 0) - remaining.length;
    count += removed;
    return removed > 0 ? [{ op: 'task.put', key: task.key, value: withNeeds(task, remaining) }] : [];
  });
  return ops.length > 0 ? { label: { kind: 'disconnectAll', params: { count } }, ops } : undefined;
}

/** Removes all redundant needs. */
export function removeRedundant(doc: Doc): Command | undefined {
  const { ops, count } = removalsOfRedundant(doc);
  return count > 0 ? { label: { kind: 'removeRedundant', params: { count } }, ops } : undefined;
}

/** Operations that remove redundant needs; with `before`, only needs that were not redundant in that document. */
function removalsOfRedundant(doc: Doc, before?: Doc): { ops: Op[]; count: number } {
  let count = 0;
  const ops = tasksOf(doc).flatMap((task): Op[] => {
    const taskBefore = before && taskOf(before, task.key);
    const redundantBefore = new Set(before && taskBefore ? redundantNeedsOf(before, taskBefore) : []);
    const redundant = new Set(redundantNeedsOf(doc, task).filter((need) => !redundantBefore.has(need)));
    count += redundant.size;
    return redundant.size > 0
      ? [
          {
            op: 'task.put',
            key: task.key,
            value: withNeeds(
              task,
              (task.needs ?? []).filter((need) => !redundant.has(need)),
            ),
          },
        ]
      : [];
  });
  return { ops, count };
}
