import { withNeeds } from './commands';
import { moveTargetLater } from './lanes';
import { applyOps, type Op, tasksOf, taskOf } from './ops';
import { note, redundantNeedsOf, type Refusal, refuse } from './refuse';
import type { Command, Label } from './store';
import type { Doc } from './types';

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
