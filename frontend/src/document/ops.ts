import { type Doc, type Head, type Job, type JobHead, hasUniqueKeys, type Task } from './types';

/** The primitive changes of a document. Positions count from 0; for a move they do not count the moved item. */
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

/** The index of a task's job, and the index of the task in that job. */
export interface Position {
  job: number;
  index: number;
}

const positionCache = new WeakMap<Doc, ReadonlyMap<string, Position>>();

/** The position of each task by its key; computed once for each document. */
export function positionsOf(doc: Doc): ReadonlyMap<string, Position> {
  const cached = positionCache.get(doc);
  if (cached) return cached;
  const positions = new Map<string, Position>();
  doc.jobs.forEach((job, j) => {
    job.tasks?.forEach((task, index) => positions.set(task.key, { job: j, index }));
  });
  positionCache.set(doc, positions);
  return positions;
}

/** The task with a key. */
export function taskOf(doc: Doc, key: string): Task | undefined {
  const at = positionsOf(doc).get(key);
  return at && doc.jobs[at.job]?.tasks?.[at.index];
}

/** The job with a key. */
export const jobOf = (doc: Doc, key: string): Job | undefined => doc.jobs.find((job) => job.key === key);

/** The job that a task is in. */
export function jobOfTask(doc: Doc, key: string): Job | undefined {
  const at = positionsOf(doc).get(key);
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
 * A document with its fields in the order of editing: jobs last, and in each job `tasks` last, which always exists.
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
 * The document after an operation, and the operation that undoes it. Throws if its task or job does not exist. The
 * positions in `before`, an earlier state, help to find a task without a search through all tasks.
 */
function applyOp(doc: Doc, op: Op, before: Doc = doc): { doc: Doc; inverse: Op } {
  switch (op.op) {
    case 'all':
      if (!hasUniqueKeys(op.value)) throw new Error('keys of the document are missing or not unique');
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
      const { position, task, job } = findTask(doc, op.key, before);
      return {
        doc: withTasks(doc, position.job, (tasks) => removed(tasks, position.index)),
        inverse: { op: 'task.insert', job: job.key, index: position.index, task },
      };
    }
    case 'task.move': {
      const { position, task, job } = findTask(doc, op.key, before);
      const to = findJob(doc, op.job).index;
      const without = withTasks(doc, position.job, (tasks) => removed(tasks, position.index));
      return {
        doc: withTasks(without, to, (tasks) => inserted(tasks, op.index, task)),
        inverse: { op: 'task.move', key: op.key, job: job.key, index: position.index },
      };
    }
    case 'task.put': {
      const { position, task } = findTask(doc, op.key, before);
      return {
        doc: withTasks(doc, position.job, (tasks) => tasks.with(position.index, op.value)),
        inverse: { op: 'task.put', key: op.value.key, value: task },
      };
    }
  }
}

/** The document after some operations, and the operations that undo them, in the order in which to apply these. */
export function applyOps(doc: Doc, ops: readonly Op[]): { doc: Doc; inverse: Op[] } {
  const inverse: Op[] = [];
  let current = doc;
  for (const op of ops) {
    const result = applyOp(current, op, doc);
    current = result.doc;
    inverse.push(result.inverse);
  }
  return { doc: current, inverse: inverse.reverse() };
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

/** A task with its position and its job. */
interface TaskInJob {
  position: Position;
  task: Task;
  job: Job;
}

/** Finds a task, first at its former position: a thousand operations in a row must not each search all tasks. */
function findTask(doc: Doc, key: string, before: Doc): TaskInJob {
  const hint = positionsOf(before).get(key);
  const atHint = hint && inJob(doc, hint.job, key, hint.index);
  if (atHint) return atHint;
  for (let j = 0; j < doc.jobs.length; j++) {
    const found = inJob(doc, j, key);
    if (found) return found;
  }
  throw new Error(`there is no task ${key}`);
}

function inJob(doc: Doc, j: number, key: string, guess = -1): TaskInJob | undefined {
  const job = doc.jobs[j];
  const tasks = job?.tasks ?? [];
  const index = tasks[guess]?.key === key ? guess : tasks.findIndex((task) => task.key === key);
  const task = tasks[index];
  return job && task && { position: { job: j, index }, task, job };
}

const withJob = (doc: Doc, index: number, job: Job): Doc => ({ ...doc, jobs: doc.jobs.with(index, job) });

function withTasks(doc: Doc, index: number, change: (tasks: Task[]) => Task[]): Doc {
  const job = doc.jobs[index];
  return job ? withJob(doc, index, { ...job, tasks: change(job.tasks ?? []) }) : doc;
}
