import { type Doc, type Head, type Job, type JobHead, sound, type Task } from './types';

/** The primitive changes of a document. Positions count from 0, without what is moved. */
export type Op =
  | { op: 'all'; value: Doc }
  | { op: 'head'; value: Head }
  | { op: 'job.insert'; index: number; job: Job }
  | { op: 'job.remove'; key: string }
  | { op: 'job.move'; key: string; index: number }
  | { op: 'job.put'; key: string; value: JobHead } // with another key: renamed
  | { op: 'task.insert'; job: string; index: number; task: Task }
  | { op: 'task.remove'; key: string }
  | { op: 'task.move'; key: string; job: string; index: number }
  | { op: 'task.put'; key: string; value: Task }; // with another key: renamed

/** The numbers of a task's job, and of the task in it. */
export interface Place {
  job: number;
  index: number;
}

const places = new WeakMap<Doc, ReadonlyMap<string, Place>>();

/** The place of each task by its key; computed once for each document. */
export function placesOf(doc: Doc): ReadonlyMap<string, Place> {
  const known = places.get(doc);
  if (known) return known;
  const made = new Map<string, Place>();
  doc.jobs.forEach((job, j) => {
    job.tasks?.forEach((task, index) => made.set(task.key, { job: j, index }));
  });
  places.set(doc, made);
  return made;
}

/** The task of a key. */
export function taskOf(doc: Doc, key: string): Task | undefined {
  const at = placesOf(doc).get(key);
  return at && doc.jobs[at.job]?.tasks?.[at.index];
}

/** The job of a key. */
export const jobOf = (doc: Doc, key: string): Job | undefined => doc.jobs.find((job) => job.key === key);

/** The job that a task is in. */
export function jobOfTask(doc: Doc, key: string): Job | undefined {
  const at = placesOf(doc).get(key);
  return at && doc.jobs[at.job];
}

/** All tasks, in the order of the document. */
export const tasksOf = (doc: Doc): Task[] => doc.jobs.flatMap((job) => job.tasks ?? []);

/** A schedule without its jobs. */
export function headOf(doc: Doc): Head {
  const head: Partial<Doc> = { ...doc };
  delete head.jobs;
  return head as Head;
}

/** A job without its tasks. */
export function jobHeadOf(job: Job): JobHead {
  const head = { ...job };
  delete head.tasks;
  return head;
}

/**
 * A document with its fields in the order of editing: jobs last, and in each job `tasks` last, which is always there.
 */
export function ordered(doc: Doc): Doc {
  const jobs = doc.jobs.map(orderedJob);
  if (Object.keys(doc).at(-1) === 'jobs' && jobs.every((job, j) => job === doc.jobs[j])) return doc;
  const head: Partial<Doc> = { ...doc };
  delete head.jobs;
  return { ...(head as Head), jobs };
}

function orderedJob(job: Job): Job {
  if (job.tasks && Object.keys(job).at(-1) === 'tasks') return job;
  const { tasks, ...head } = job;
  return { ...head, tasks: tasks ?? [] };
}

/**
 * The document after an operation, and the operation that undoes it. Throws if what it names does not exist. `before`
 * is an earlier state, whose places help to find a task without a search of all of them.
 */
function applyOp(doc: Doc, op: Op, before: Doc = doc): { doc: Doc; inverse: Op } {
  switch (op.op) {
    case 'all':
      if (!sound(op.value)) throw new Error('keys of the document are missing or not unique');
      return { doc: ordered(op.value), inverse: { op: 'all', value: doc } };
    case 'head':
      return { doc: { ...op.value, jobs: doc.jobs }, inverse: { op: 'head', value: headOf(doc) } };
    case 'job.insert':
      return {
        doc: { ...doc, jobs: inserted(doc.jobs, op.index, orderedJob(op.job)) },
        inverse: { op: 'job.remove', key: op.job.key },
      };
    case 'job.remove': {
      const { index, job } = findJob(doc, op.key);
      return { doc: { ...doc, jobs: removed(doc.jobs, index) }, inverse: { op: 'job.insert', index, job } };
    }
    case 'job.move': {
      const { index, job } = findJob(doc, op.key);
      return {
        doc: { ...doc, jobs: inserted(removed(doc.jobs, index), op.index, job) },
        inverse: { op: 'job.move', key: op.key, index },
      };
    }
    case 'job.put': {
      const { index, job } = findJob(doc, op.key);
      return {
        doc: withJob(doc, index, { ...op.value, tasks: job.tasks ?? [] }),
        inverse: { op: 'job.put', key: op.value.key, value: jobHeadOf(job) },
      };
    }
    case 'task.insert': {
      const { index } = findJob(doc, op.job);
      return {
        doc: withTasks(doc, index, (tasks) => inserted(tasks, op.index, op.task)),
        inverse: { op: 'task.remove', key: op.task.key },
      };
    }
    case 'task.remove': {
      const { place, task, job } = findTask(doc, op.key, before);
      return {
        doc: withTasks(doc, place.job, (tasks) => removed(tasks, place.index)),
        inverse: { op: 'task.insert', job: job.key, index: place.index, task },
      };
    }
    case 'task.move': {
      const { place, task, job } = findTask(doc, op.key, before);
      const to = findJob(doc, op.job).index;
      const without = withTasks(doc, place.job, (tasks) => removed(tasks, place.index));
      return {
        doc: withTasks(without, to, (tasks) => inserted(tasks, op.index, task)),
        inverse: { op: 'task.move', key: op.key, job: job.key, index: place.index },
      };
    }
    case 'task.put': {
      const { place, task } = findTask(doc, op.key, before);
      return {
        doc: withTasks(doc, place.job, (tasks) => tasks.with(place.index, op.value)),
        inverse: { op: 'task.put', key: op.value.key, value: task },
      };
    }
  }
}

/** The document after operations, and those that undo them, in the order in which to apply them. */
export function applyOps(doc: Doc, ops: readonly Op[]): { doc: Doc; inverse: Op[] } {
  const inverse: Op[] = [];
  let now = doc;
  for (const op of ops) {
    const done = applyOp(now, op, doc);
    now = done.doc;
    inverse.push(done.inverse);
  }
  return { doc: now, inverse: inverse.reverse() };
}

const inserted = <T>(list: readonly T[], index: number, item: T): T[] =>
  list.toSpliced(Math.min(index, list.length), 0, item);
const removed = <T>(list: readonly T[], index: number): T[] => list.toSpliced(index, 1);

function findJob(doc: Doc, key: string): { index: number; job: Job } {
  const index = doc.jobs.findIndex((job) => job.key === key);
  const job = doc.jobs[index];
  if (!job) throw new Error(`there is no job ${key}`);
  return { index, job };
}

/** Finds a task, first where it was before: a thousand operations in a row must not search all tasks each. */
function findTask(doc: Doc, key: string, before: Doc): { place: Place; task: Task; job: Job } {
  const hint = placesOf(before).get(key);
  const near = hint && inJob(doc, hint.job, key, hint.index);
  if (near) return near;
  for (let j = 0; j < doc.jobs.length; j++) {
    const found = inJob(doc, j, key);
    if (found) return found;
  }
  throw new Error(`there is no task ${key}`);
}

function inJob(doc: Doc, j: number, key: string, guess = -1): { place: Place; task: Task; job: Job } | undefined {
  const job = doc.jobs[j];
  const tasks = job?.tasks ?? [];
  const index = tasks[guess]?.key === key ? guess : tasks.findIndex((task) => task.key === key);
  const task = tasks[index];
  return job && task && { place: { job: j, index }, task, job };
}

const withJob = (doc: Doc, index: number, job: Job): Doc => ({ ...doc, jobs: doc.jobs.with(index, job) });

function withTasks(doc: Doc, index: number, change: (tasks: Task[]) => Task[]): Doc {
  const job = doc.jobs[index];
  return job ? withJob(doc, index, { ...job, tasks: change(job.tasks ?? []) }) : doc;
}
