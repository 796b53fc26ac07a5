import { headOf, type Op, tasksOf } from './ops';
import { paramRenamedIn } from './refs';
import type { Command } from './store';
import type { Doc } from './types';

/**
 * Renames a param of the schedule, in its place and in the expressions of tasks. Scripts and statements that read it
 * by other means (`$region`, `:region`) are the user's own text and stay. Undefined if the name is taken or empty.
 */
export function renameParam(doc: Doc, from: string, to: string): Command | undefined {
  const params = doc.params ?? {};
  if (from === to || to === '' || !Object.hasOwn(params, from) || Object.hasOwn(params, to)) return undefined;
  const renamed = Object.fromEntries(Object.entries(params).map(([name, value]) => [name === from ? to : name, value]));
  const ops: Op[] = [{ op: 'head', value: { ...headOf(doc), params: renamed } }];
  for (const task of tasksOf(doc)) {
    const next = paramRenamedIn(task, from, to);
    if (next !== task) ops.push({ op: 'task.put', key: task.key, value: next });
  }
  return { label: { did: 'editSchedule' }, ops };
}
