import { isRecord, same, sameSet } from './equal';
import { headOf, jobHeadOf, jobOf, jobOfTask, placesOf, tasksOf, taskOf } from './ops';
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
  /** Where it was, if it was moved: for a task the job, for a job its number, from 1. */
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
 * What changed from one document to another. The order of jobs counts; that of fields, needs and tasks in a job does
 * not, nor do comments. A need that was removed with its task is no change of its own.
 */
export function diff(a: Doc, b: Doc): Diff {
  if (a === b) return { head: [], jobs: [], tasks: [], count: 0 };
  const names = renamesOf(a, b);
  const head = fields(headOf(a), headOf(b));
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
    return presentTask(a, b, { after, formerKey, names, jobs }) ?? [];
  });
  const removed = tasksOf(a).flatMap((before): TaskChange[] => {
    const { key } = before;
    if (names.has(key) || placesOf(b).has(key)) return [];
    return [{ kind: 'removed', key, job: jobOfTask(a, key)?.key ?? '', before, fields: [] }];
  });
  return [...present, ...removed];
}

interface PresentTask {
  after: Task;
  /** Its key in the document before. */
  formerKey: string;
  /** New keys of renamed tasks and jobs, by their former ones. */
  names: ReadonlyMap<string, string>;
  jobs: ReadonlyMap<string, string>;
}

/** How a task of `b` was added or changed; undefined if it was not. */
function presentTask(a: Doc, b: Doc, { after, formerKey, names, jobs }: PresentTask): TaskChange | undefined {
  const { key } = after;
  const before = taskOf(a, formerKey);
  const job = jobOfTask(b, key)?.key ?? '';
  if (!before) return { kind: 'added', key, job, after, fields: [] };
  const formerJob = jobOfTask(a, formerKey)?.key ?? '';
  const moved = (jobs.get(formerJob) ?? formerJob) !== job;
  if (before === after && !moved) return undefined;
  // Needs by their present keys, without those that were removed with their tasks.
  const needs = before.needs?.map((need) => names.get(need) ?? need).filter((need) => placesOf(b).has(need));
  const changed = fields({ ...before, key, needs }, after);
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
  const old = new Map([...names].map(([from, to]) => [to, from]));
  const was = a.jobs.map((job) => names.get(job.key) ?? job.key);
  const moved = outOfOrder(b.jobs.flatMap((job) => (was.includes(job.key) ? [was.indexOf(job.key)] : [])));
  const out: ItemChange<JobHead>[] = [];
  for (const job of b.jobs) {
    const after = jobHeadOf(job);
    const from = old.get(job.key) ?? job.key;
    const one = jobOf(a, from);
    if (!one) {
      out.push({ kind: 'added', key: job.key, after, fields: [] });
      continue;
    }
    const before = jobHeadOf(one);
    const changed = fields({ ...before, key: job.key }, after);
    const place = was.indexOf(job.key);
    if (changed.length > 0 || moved.has(place) || from !== job.key) {
      out.push({
        kind: 'changed',
        key: job.key,
        before,
        after,
        fields: changed,
        ...(from === job.key ? {} : { renamedFrom: from }),
        ...(moved.has(place) ? { movedFrom: String(place + 1) } : {}),
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
  const best: number[] = []; // the length of the longest increasing subsequence that ends there
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
function fields(before: object, after: object, path = ''): FieldChange[] {
  const [a, b] = [before as Record<string, unknown>, after as Record<string, unknown>];
  return [...new Set([...Object.keys(b), ...Object.keys(a)])].flatMap((name): FieldChange[] => {
    const [x, y] = [a[name], b[name]];
    const field = path + name;
    if (name === '#' || same(x, y) || (field === 'needs' && sameSet(x as string[], y as string[]))) return [];
    const [inX, inY] = [x ?? {}, y ?? {}];
    if (isRecord(inX) && isRecord(inY)) return fields(inX, inY, `${field}.`);
    return [{ field, before: x, after: y }];
  });
}
