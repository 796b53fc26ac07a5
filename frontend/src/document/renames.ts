import { isEqual, hasSameItems } from './equal';
import { positionsOf, tasksOf, taskOf } from './ops';
import { headWithRenamedTasks, withRenamedTasks } from './refs';
import type { Doc, Job, Task } from './types';

/** New keys of tasks and jobs by their former ones. */
export interface Renames {
  tasks: Map<string, string>;
  jobs: Map<string, string>;
}

/**
 * Finds the tasks and jobs that were renamed between two documents. A removed and an added task that differ only in
 * their keys are the same task; a removed job and an added one that has all its tasks are the same job.
 */
export function renamesOf(from: Doc, to: Doc): Renames {
  const removed = tasksOf(from).filter((task) => !positionsOf(to).has(task.key));
  const added = tasksOf(to).filter((task) => !positionsOf(from).has(task.key));
  const tasks = new Map<string, string>();
  if (removed.length > 0 && added.length > 0) {
    for (const [content, [one, ...others]] of byContent(removed)) {
      const [other, ...more] = byContent(added).get(content) ?? [];
      if (one && other && others.length === 0 && more.length === 0) tasks.set(one.key, other.key);
    }
  }
  return { tasks, jobs: jobRenames(from, to, tasks) };
}

function jobRenames(from: Doc, to: Doc, tasks: ReadonlyMap<string, string>): Map<string, string> {
  const keys = (doc: Doc) => new Set(doc.jobs.map((job) => job.key));
  const [before, after] = [keys(from), keys(to)];
  const added = to.jobs.filter((job) => !before.has(job.key));
  const jobs = new Map<string, string>();
  for (const job of from.jobs) {
    if (after.has(job.key) || added.length === 0) continue;
    const remainingKeys = (job.tasks ?? [])
      .map((task) => tasks.get(task.key) ?? task.key)
      .filter((key) => positionsOf(to).has(key));
    const candidates =
      remainingKeys.length > 0
        ? added.filter((other) => remainingKeys.every((key) => other.tasks?.some((task) => task.key === key)))
        : added.filter(
            (other) => !job.tasks?.length && !other.tasks?.length && isEqual(withoutKey(job), withoutKey(other)),
          );
    const [candidate] = candidates;
    if (candidate && candidates.length === 1 && ![...jobs.values()].includes(candidate.key))
      jobs.set(job.key, candidate.key);
  }
  return jobs;
}

const withoutKey = (job: Job): Partial<Job> => ({ ...job, key: undefined, tasks: undefined });

/** Tasks grouped by the text of their fields, without key and needs. */
function byContent(tasks: readonly Task[]): Map<string, Task[]> {
  const out = new Map<string, Task[]>();
  for (const task of tasks) {
    const fields = Object.entries(task).filter(([name]) => name !== 'key' && name !== 'needs');
    const content = JSON.stringify(fields.sort(([a], [b]) => (a < b ? -1 : 1)));
    out.set(content, [...(out.get(content) ?? []), task]);
  }
  return out;
}

/** Renames tasks and jobs of a document, also where other tasks name them. */
export function applyRenames(doc: Doc, { tasks, jobs }: Renames): Doc {
  if (tasks.size === 0 && jobs.size === 0) return doc;
  return {
    ...headWithRenamedTasks(doc, tasks),
    jobs: doc.jobs.map((job) => ({
      ...headWithRenamedTasks(job, tasks),
      key: jobs.get(job.key) ?? job.key,
      tasks: (job.tasks ?? []).map((task) => {
        const next = withRenamedTasks(task, tasks);
        const key = tasks.get(task.key);
        return key === undefined ? next : { ...next, key };
      }),
    })),
  };
}

/** Whether a task is equal in both documents, not counting needs that name tasks which `laterDoc` lacks. */
export function isUnchanged(before: Task, after: Task, laterDoc: Doc): boolean {
  const needs = (before.needs ?? []).filter((need) => taskOf(laterDoc, need));
  return hasSameItems(needs, after.needs) && isEqual({ ...before, needs: undefined }, { ...after, needs: undefined });
}
