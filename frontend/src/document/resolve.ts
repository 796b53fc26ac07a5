import { editHead, editJob, editTasks, removeJob, removeTasks, renameJob, renameTask } from './commands';
import { isRecord } from './equal';
import { moveTasks } from './lanes';
import type { Conflict } from './merge';
import { jobOf, type Op, taskOf } from './ops';
import type { Command } from './store';
import type { Doc, Head, JobHead, Task } from './types';

/**
 * The command that resolves a conflict in favour of one side. Undefined if the document has that value already, or if
 * the task or job was removed.
 */
export function resolve(doc: Doc, conflict: Conflict, side: 'mine' | 'theirs'): Command | undefined {
  const command = resolutionOf(doc, conflict, conflict[side]);
  return command && { ...command, label: { kind: 'resolve' }, gesture: undefined };
}

function resolutionOf(doc: Doc, { task, job, field, at }: Conflict, value: unknown): Command | undefined {
  if (field === 'order') return arrangeJobs(doc, value as string[]);
  if (task !== undefined) {
    if (field === 'job') return moveTasks(doc, [task], value as string);
    if (field === 'key') return renameTask(doc, task, value as string);
    if (field !== undefined) return editTasks(doc, [task], nestedField<Task>(taskOf(doc, task), at, value));
    return value === undefined ? removeTasks(doc, [task]) : replaceTask(doc, value as Task);
  }
  if (job !== undefined) {
    if (field === 'key') return renameJob(doc, job, value as string);
    if (field !== undefined) return editJob(doc, job, nestedField<JobHead>(jobOf(doc, job), at, value));
    return value === undefined ? removeJob(doc, job) : editJob(doc, job, value as JobHead);
  }
  return at.length > 0 ? editHead(doc, nestedField<Head>(doc, at, value)) : undefined;
}

/** The outermost field of a path, with the value at the end of the path replaced. */
function nestedField<T extends object>(object: T | undefined, at: readonly string[], value: unknown): Partial<T> {
  const [name = '', ...rest] = at;
  return { [name]: withValueAt((object as Record<string, unknown> | undefined)?.[name], rest, value) } as Partial<T>;
}

function withValueAt(into: unknown, at: readonly string[], value: unknown): unknown {
  const [name, ...rest] = at;
  if (name === undefined) return value;
  const next = { ...(isRecord(into) ? into : {}) };
  const inner = withValueAt(next[name], rest, value);
  if (inner === undefined) Reflect.deleteProperty(next, name);
  else next[name] = inner;
  return next;
}

function replaceTask(doc: Doc, task: Task): Command | undefined {
  const current = taskOf(doc, task.key);
  if (current === undefined || JSON.stringify(current) === JSON.stringify(task)) return undefined;
  return { label: { kind: 'resolve' }, ops: [{ op: 'task.put', key: task.key, value: task }] };
}

/** Sorts jobs by a list of keys. Jobs that are not in the list stay behind the job before them. */
function arrangeJobs(doc: Doc, order: readonly string[]): Command | undefined {
  const rank = new Map(order.map((key, i) => [key, i]));
  let last = -1;
  const sorted = doc.jobs
    .map((job, j) => ({ key: job.key, rank: (last = rank.get(job.key) ?? last), j }))
    .sort((a, b) => a.rank - b.rank || a.j - b.j);
  const keys = doc.jobs.map((job) => job.key);
  const ops = sorted.flatMap(({ key }, index): Op[] => {
    const from = keys.indexOf(key);
    keys.splice(index, 0, ...keys.splice(from, 1));
    return from === index ? [] : [{ op: 'job.move', key, index }];
  });
  return ops.length > 0 ? { label: { kind: 'resolve' }, ops } : undefined;
}
