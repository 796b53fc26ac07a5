import { isRecord, isEqual, hasSameItems } from './equal';
import { headOf, jobHeadOf, jobOf, jobOfTask, positionsOf, tasksOf, taskOf } from './ops';
import { renamesOf } from './renames';
import type { Doc, JobHead, Task } from './types';

/** A field that changed. A value is undefined where the field does not exist. */
export interface FieldChange {
  /** Such as `needs`, `params.command`, `policy.catchUp.mode`. */
  field: string;
  before: unknown;
  after: unknown;
}

/** A task or job that was added, removed or changed. Changed ones may be moved and renamed as well. */
export interface ItemChange<T> {
  kind: 'added' | 'removed' | 'changed';
  key: string;
  before?: T;
  after?: T;
  /** Its key before, if it was renamed. */
  renamedFrom?: string;
  /** Its former place, if it was moved: for a task the key of the job, for a job its number, counted from 1. */
  movedFrom?: string;
  fields: FieldChange[];
}

/** A change of a task. */
export interface TaskChange extends ItemChange<Task> {
  /** The job that the task is in; for a removed task, the job it was in. */
  job: string;
}

/** The differences between two documents. */
export interface Diff {
  head: FieldChange[];
  jobs: ItemChange<JobHead>[];
  tasks: TaskChange[];
  /** The number of changes: one for each task, each job and each field of the schedule. */
  count: number;
}

/**
 * The changes from one document to another. The order of jobs counts; the order of fields, of needs and of tasks in a
 * job does not, nor do comments. A need that was removed together with its task is not a change of its own.
 */
export function diff(a: Doc, b: Doc): Diff {
  if (a === b) return { head: [], jobs: [], tasks: [], count: 0 };
  const names = renamesOf(a, b);
  const head = fieldChanges(headOf(a), headOf(b));
  const jobs = jobChanges(a, b, names.jobs);
  const tasks = taskChanges(a, b, names.tasks, names.jobs);
  return { head, jobs, tasks, count: head.length + jobs.length + tasks.length };
}

function taskChanges(
  a: Doc,
  b: Doc,
  names: ReadonlyMap<string, string>,
  jobs: ReadonlyMap<string, string>,
): TaskChange[] {
  const formerKeys = new Map([...names].map(([from, to]) => [to, from]));
  const present = tasksOf(b).flatMap((after) => {
    const formerKey = formerKeys.get(after.key) ?? after.key;
    return taskChange(a, b, { after, formerKey, names, jobs }) ?? [];
  });
  const removed = tasksOf(a).flatMap((before): TaskChange[] => {
    const { key } = before;
    if (names.has(key) || positionsOf(b).has(key)) return [];
    return [{ kind: 'removed', key, job: jobOfTask(a, key)?.key ?? '', before, fields: [] }];
  });
  return [...present, ...removed];
}

interface PresentTask {
  after: Task;
  /** Its key in the earlier document. */
  formerKey: string;
  /** New keys of renamed tasks and jobs, by their former ones. */
  names: ReadonlyMap<string, string>;
  jobs: ReadonlyMap<string, string>;
}

/** The change of a task that is in `b`; undefined if it did not change. */
function taskChange(a: Doc, b: Doc, { after, formerKey, names, jobs }: PresentTask): TaskChange | undefined {
  const { key } = after;
  const before = taskOf(a, formerKey);
  const job = jobOfTask(b, key)?.key ?? '';
  if (!before) return { kind: 'added', key, job, after, fields: [] };
  const formerJob = jobOfTask(a, formerKey)?.key ?? '';
  const moved = (jobs.get(formerJob) ?? formerJob) !== job;
  if (before === after && !moved) return undefined;
  // Needs by their present keys, without needs that were removed together with their tasks.
  const needs = before.needs?.map((need) => names.get(need) ?? need).filter((need) => positionsOf(b).has(need));
  const changed = fieldChanges({ ...before, key, needs }, after);
  const renamed = formerKey !== key;
  if (changed.length === 0 && !moved && !renamed) return undefined;
  return {
    kind: 'changed',
    key,
    job,
    before,
    after,
    fields: changed,
    ...(renamed ? { renamedFrom: formerKey } : {}),
    ...(moved ? { movedFrom: formerJob } : {}),
  };
}

function jobChanges(a: Doc, b: Doc, names: ReadonlyMap<string, string>): ItemChange<JobHead>[] {
  const formerKeys = new Map([...names].map(([from, to]) => [to, from]));
  const formerOrder = a.jobs.map((job) => names.get(job.key) ?? job.key);
  const moved = outOfOrder(
    b.jobs.flatMap((job) => (formerOrder.includes(job.key) ? [formerOrder.indexOf(job.key)] : [])),
  );
  const out: ItemChange<JobHead>[] = [];
  for (const job of b.jobs) {
    const after = jobHeadOf(job);
    const formerKey = formerKeys.get(job.key) ?? job.key;
    const formerJob = jobOf(a, formerKey);
    if (!formerJob) {
      out.push({ kind: 'added', key: job.key, after, fields: [] });
      continue;
    }
    const before = jobHeadOf(formerJob);
    const changed = fieldChanges({ ...before, key: job.key }, after);
    const formerIndex = formerOrder.indexOf(job.key);
    if (changed.length > 0 || moved.has(formerIndex) || formerKey !== job.key) {
      out.push({
        kind: 'changed',
        key: job.key,
        before,
        after,
        fields: changed,
        ...(formerKey === job.key ? {} : { renamedFrom: formerKey }),
        ...(moved.has(formerIndex) ? { movedFrom: String(formerIndex + 1) } : {}),
      });
    }
  }
  for (const job of a.jobs) {
    if (!names.has(job.key) && !jobOf(b, job.key))
      out.push({ kind: 'removed', key: job.key, before: jobHeadOf(job), fields: [] });
  }
  return out;
}

/** The fewest numbers that must leave a list for it to be increasing. */
function outOfOrder(list: readonly number[]): ReadonlySet<number> {
  if (list.every((value, i) => i === 0 || value > (list[i - 1] ?? 0))) return new Set();
  const best: number[] = []; // for each index, the length of the longest increasing subsequence that ends there
  list.forEach((value, i) => {
    best.push(1 + Math.max(0, ...best.filter((_, j) => j < i && (list[j] ?? 0) < value)));
  });
  const out = new Set(list);
  let length = Math.max(0, ...best);
  for (let i = list.length - 1, last = Infinity; i >= 0; i--) {
    const value = list[i] ?? 0;
    if (best[i] !== length || value >= last) continue;
    out.delete(value);
    last = value;
    length--;
  }
  return out;
}

/** The fields that differ, in the order of `after`; objects are compared field by field. Comments are left out. */
function fieldChanges(before: object, after: object, path = ''): FieldChange[] {
  const [a, b] = [before as Record<string, unknown>, after as Record<string, unknown>];
  return [...new Set([...Object.keys(b), ...Object.keys(a)])].flatMap((name): FieldChange[] => {
    const [x, y] = [a[name], b[name]];
    const field = path + name;
    if (name === '#' || isEqual(x, y) || (field === 'needs' && hasSameItems(x as string[], y as string[]))) return [];
    const [inX, inY] = [x ?? {}, y ?? {}];
    if (isRecord(inX) && isRecord(inY)) return fieldChanges(inX, inY, `${field}.`);
    return [{ field, before: x, after: y }];
  });
}
