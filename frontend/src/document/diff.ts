import { isRecord, same, sameSet } from './equal';
import { headOf, jobHeadOf, jobOf, jobOfTask, placesOf, tasksOf, taskOf } from './ops';
import { renamesOf } from './renames';
import type { Doc, JobHead, Task } from './types';

/** A field that is another one now; undefined: it is not there. */
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
  /** A task: the job that it was in. A job: its number before, from 1. */
  movedFrom?: string;
  fields: FieldChange[];
}

export interface TaskChange extends ItemChange<Task> {
  /** The job that it is in; for a removed one, was in. */
  job: string;
}

/** What makes one document another. */
export interface Diff {
  head: FieldChange[];
  jobs: ItemChange<JobHead>[];
  tasks: TaskChange[];
  /** How many changes these are: one for each task, job, and field of the schedule. */
  count: number;
}

/**
 * What changed from one document to another. Neither the order of fields, nor that of needs, of tasks in a job, or of
 * comments counts; that of jobs does. A need that is gone with its task is no change of its own.
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
  const old = new Map([...names].map(([from, to]) => [to, from]));
  const out: TaskChange[] = [];
  for (const after of tasksOf(b)) {
    const { key } = after;
    const from = old.get(key) ?? key;
    const before = taskOf(a, from);
    const job = jobOfTask(b, key)?.key ?? '';
    if (!before) {
      out.push({ kind: 'added', key, job, after, fields: [] });
      continue;
    }
    const was = jobOfTask(a, from)?.key ?? '';
    const movedFrom = (jobs.get(was) ?? was) === job ? undefined : was;
    if (before === after && movedFrom === undefined) continue;
    // Needs as they would be named now, without those that are gone with their tasks.
    const needs = before.needs?.map((need) => names.get(need) ?? need).filter((need) => placesOf(b).has(need));
    const changed = fields({ ...before, key, needs }, after);
    if (changed.length > 0 || movedFrom !== undefined || from !== key) {
      out.push({
        kind: 'changed',
        key,
        job,
        before,
        after,
        fields: changed,
        ...(from === key ? {} : { renamedFrom: from }),
        ...(movedFrom === undefined ? {} : { movedFrom }),
      });
    }
  }
  for (const before of tasksOf(a)) {
    if (names.has(before.key) || placesOf(b).has(before.key)) continue;
    out.push({ kind: 'removed', key: before.key, job: jobOfTask(a, before.key)?.key ?? '', before, fields: [] });
  }
  return out;
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

/** The fewest numbers of a list without which it rises. */
function outOfOrder(list: readonly number[]): ReadonlySet<number> {
  if (list.every((value, i) => i === 0 || value > (list[i - 1] ?? 0))) return new Set();
  const best: number[] = []; // length of the longest rise that ends there
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

/** The fields that differ, objects field by field, in the order of what is there now. Comments are left out. */
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
