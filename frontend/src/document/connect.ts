import { withNeeds } from './commands';
import { moveTargetLater } from './lanes';
import { applyOps, type Op, tasksOf, taskOf } from './ops';
import { note, redundantNeedsOf, type Refusal, refuse } from './refuse';
import type { Command, Label } from './store';
import type { Doc } from './types';

/**
 * Lets a task need another one. Nothing if `refuse` says why not, or if it would change nothing (`note` says so). With
 * `tidy`, needs that become redundant by it are dropped.
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

/** What a refusal offers instead. */
export function accept(doc: Doc, { offer, params: { from, to } }: Refusal): Command | undefined {
  if (offer === 'moveTargetLater') return moveTargetLater(doc, from, to);
  return offer === 'otherWay' ? connect(doc, to, from) : undefined;
}

/** Takes a need away. */
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

/** Takes all dependencies of tasks away: what they need, and what needs them. */
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

/** Takes all needs away that change nothing. */
export function removeRedundant(doc: Doc): Command | undefined {
  const { ops, count } = tidied(doc);
  return count > 0 ? { label: { did: 'removeRedundant', params: { count } }, ops } : undefined;
}

/** What drops the redundant needs of a document: of those that were not redundant before, if an earlier one is given. */
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
