import type { TFunction } from 'i18next';
import { edgeKey, redundantNeeds, wouldBeRedundant } from '@/graph';
import { freeKey, withNeeds } from './commands';
import { applyOps, type Op, placesOf, taskOf, tasksOf } from './ops';
import type { Command, Label } from './store';
import type { Doc, Selection, Task } from './types';

/** Why a dependency is not allowed. */
export interface Refusal {
  code: 'self' | 'same_job' | 'upwards' | 'twice' | 'unknown';
  params: { from: string; to: string; job: string };
  /** What can be done instead: `accept` makes a command of it. */
  offer?: 'moveTargetLater' | 'otherWay';
}

/** Something to know about a dependency that is allowed. */
export interface Note {
  code: 'redundant';
  params: { from: string; to: string };
}

/** A refusal in words. */
export const refusalText = (t: TFunction<'document'>, { code, params }: Refusal): string =>
  t(`refuse.${code}`, { ...params });
/** A note in words. */
export const noteText = (t: TFunction<'document'>, { code, params }: Note): string => t(`note.${code}`, { ...params });

/** What a refusal offers, as the text of a button; undefined if it offers nothing. */
export const offerText = (t: TFunction<'document'>, { offer, params }: Refusal): string | undefined =>
  offer && t(`offer.${offer}`, { ...params });

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

/**
 * Lets `to` need `from`. Undefined if `refuse` has a reason against it, or if `note` says that it would change
 * nothing. With `tidy`, needs that become redundant by it are removed.
 */
export function connect(doc: Doc, from: string, to: string, { tidy = false } = {}): Command | undefined {
  const task = taskOf(doc, to);
  if (!task || refuse(doc, from, to) || note(doc, from, to)) return undefined;
  const ops: Op[] = [{ op: 'task.put', key: to, value: withNeeds(task, [...(task.needs ?? []), from]) }];
  const select = { tasks: [], edge: { from, to } };
  const more = tidy ? tidied(applyOps(doc, ops).doc, doc) : { ops: [], count: 0 };
  const label: Label =
    more.count > 0
      ? { did: 'connectDropping', params: { from, to, count: more.count } }
      : { did: 'connect', params: { from, to } };
  return { label, ops: [...ops, ...more.ops], select };
}

/** The command that a refusal offers instead. */
export function accept(doc: Doc, { offer, params: { from, to } }: Refusal): Command | undefined {
  if (offer === 'moveTargetLater') return moveTargetLater(doc, from, to);
  return offer === 'otherWay' ? connect(doc, to, from) : undefined;
}

/**
 * Lets `to` need `from`, which is in the same job: moves `to` to the next job first, or to a new job between both if
 * tasks of the next job need it.
 */
export function moveTargetLater(doc: Doc, from: string, to: string): Command | undefined {
  const places = placesOf(doc);
  const at = places.get(to);
  const job = at && doc.jobs[at.job];
  const task = at && job?.tasks?.[at.index];
  if (!task || refuse(doc, from, to)?.code !== 'same_job') return undefined;
  const put: Op = { op: 'task.put', key: to, value: withNeeds(task, [...(task.needs ?? []), from]) };
  const next = doc.jobs[at.job + 1];
  const select: Selection = { tasks: [to] };
  if (next && !next.tasks?.some((other) => other.needs?.includes(to))) {
    return {
      label: { did: 'moveTargetLater', params: { from, to, job: next.key } },
      ops: [{ op: 'task.move', key: to, job: next.key, index: next.tasks?.length ?? 0 }, put],
      select,
    };
  }
  const made = freeKey(
    doc.jobs.map((other) => other.key),
    'job',
  );
  return {
    label: { did: 'moveTargetLater', params: { from, to, job: made } },
    ops: [
      { op: 'job.insert', index: at.job + 1, job: { key: made, tasks: [] } },
      { op: 'task.move', key: to, job: made, index: 0 },
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
    label: { did: 'disconnect', params: { from, to } },
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
  const of = new Set(keys);
  let count = 0;
  const ops = tasksOf(doc).flatMap((task): Op[] => {
    const kept = of.has(task.key) ? [] : (task.needs ?? []).filter((need) => !of.has(need));
    const lost = (task.needs?.length ?? 0) - kept.length;
    count += lost;
    return lost > 0 ? [{ op: 'task.put', key: task.key, value: withNeeds(task, kept) }] : [];
  });
  return ops.length > 0 ? { label: { did: 'disconnectAll', params: { count } }, ops } : undefined;
}

/** Removes all redundant needs. */
export function removeRedundant(doc: Doc): Command | undefined {
  const { ops, count } = tidied(doc);
  return count > 0 ? { label: { did: 'removeRedundant', params: { count } }, ops } : undefined;
}

/** Operations that remove redundant needs: all, or those that were not redundant in an earlier document. */
function tidied(doc: Doc, before?: Doc): { ops: Op[]; count: number } {
  let count = 0;
  const ops = tasksOf(doc).flatMap((task): Op[] => {
    const was = before && taskOf(before, task.key);
    const old = new Set(before && was ? redundantNeedsOf(before, was) : []);
    const lost = new Set(redundantNeedsOf(doc, task).filter((need) => !old.has(need)));
    count += lost.size;
    return lost.size > 0
      ? [
          {
            op: 'task.put',
            key: task.key,
            value: withNeeds(
              task,
              (task.needs ?? []).filter((need) => !lost.has(need)),
            ),
          },
        ]
      : [];
  });
  return { ops, count };
}
