import { same, sameSet } from './equal';
import { placesOf, tasksOf, taskOf } from './ops';
import { renamedIn } from './refs';
import type { Doc, Job, Task } from './types';

/** New keys of tasks and jobs by their former ones. */
export interface Renames {
  tasks: Map<string, string>;
  jobs: Map<string, string>;
}

/**
 * Finds what was renamed between two documents, which do not say so: a removed task and a new one that differ in
 * their keys only are the same task; a removed job and a new one that has all its tasks are the same job.
 */
export function renamesOf(from: Doc, to: Doc): Renames {
  const gone = tasksOf(from).filter((task) => !placesOf(to).has(task.key));
  const come = tasksOf(to).filter((task) => !placesOf(from).has(task.key));
  const tasks = new Map<string, string>();
  if (gone.length > 0 && come.length > 0) {
    for (const [content, [one, ...others]] of byContent(gone)) {
      const [other, ...more] = byContent(come).get(content) ?? [];
      if (one && other && others.length === 0 && more.length === 0) tasks.set(one.key, other.key);
    }
  }
  return { tasks, jobs: jobRenames(from, to, tasks) };
}

function jobRenames(from: Doc, to: Doc, tasks: ReadonlyMap<string, string>): Map<string, string> {
  const keys = (doc: Doc) => new Set(doc.jobs.map((job) => job.key));
  const [before, after] = [keys(from), keys(to)];
  const come = to.jobs.filter((job) => !before.has(job.key));
  const jobs = new Map<string, string>();
  for (const job of from.jobs) {
    if (after.has(job.key) || come.length === 0) continue;
    const left = (job.tasks ?? [])
      .map((task) => tasks.get(task.key) ?? task.key)
      .filter((key) => placesOf(to).has(key));
    const found =
      left.length > 0
        ? come.filter((other) => left.every((key) => other.tasks?.some((task) => task.key === key)))
        : come.filter((other) => !job.tasks?.length && !other.tasks?.length && same(unnamed(job), unnamed(other)));
    const [one] = found;
    if (one && found.length === 1 && ![...jobs.values()].includes(one.key)) jobs.set(job.key, one.key);
  }
  return jobs;
}

const unnamed = (job: Job): Partial<Job> => ({ ...job, key: undefined, tasks: undefined });

/** Tasks by their fields other than key and needs. */
function byContent(tasks: readonly Task[]): Map<string, Task[]> {
  const out = new Map<string, Task[]>();
  for (const task of tasks) {
    const fields = Object.entries(task).filter(([name]) => name !== 'key' && name !== 'needs');
    const content = JSON.stringify(fields.sort(([a], [b]) => (a < b ? -1 : 1)));
    out.set(content, [...(out.get(content) ?? []), task]);
  }
  return out;
}

/** A document with other keys for some tasks and jobs, wherever they are named. */
export function renamed(doc: Doc, { tasks, jobs }: Renames): Doc {
  if (tasks.size === 0 && jobs.size === 0) return doc;
  return {
    ...doc,
    jobs: doc.jobs.map((job) => ({
      ...job,
      key: jobs.get(job.key) ?? job.key,
      tasks: (job.tasks ?? []).map((task) => {
        const next = renamedIn(task, tasks);
        const key = tasks.get(task.key);
        return key === undefined ? next : { ...next, key };
      }),
    })),
  };
}

/** Whether a task is the same in both documents, without needs of tasks that the later one does not have. */
export function untouched(before: Task, after: Task, there: Doc): boolean {
  const needs = (before.needs ?? []).filter((need) => taskOf(there, need));
  return sameSet(needs, after.needs) && same({ ...before, needs: undefined }, { ...after, needs: undefined });
}
