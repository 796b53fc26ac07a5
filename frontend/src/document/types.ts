import type { Definition, DefinitionJob, DefinitionTask } from '@/api/definition';

/**
 * A schedule while it is edited. It may be full of faults, but for one thing: keys of jobs are not empty and unique, and so
 * are keys of tasks, ignoring case, because everything else speaks of them by their keys (`sound` says whether it is so).
 */
export type Doc = Definition;
export type Job = DefinitionJob;
export type Task = DefinitionTask;

/** All of a schedule but its jobs. */
export type Head = Omit<Doc, 'jobs'>;
/** All of a job but its tasks. */
export type JobHead = Omit<Job, 'tasks'>;

/** What is selected. Never both tasks and a job. */
export interface Selection {
  tasks: readonly string[];
  job?: string;
  /** A dependency, by its ends. */
  edge?: { from: string; to: string };
}

export const NOTHING: Selection = { tasks: [] };

/** Keys are told apart ignoring case. */
export const fold = (key: string): string => key.toLowerCase();

/** Whether keys are there and unique, so that the document can be edited. */
export function sound(doc: Doc): boolean {
  const jobs = new Set<string>();
  const tasks = new Set<string>();
  const free = (key: unknown, among: Set<string>) => {
    if (typeof key !== 'string' || key === '' || among.has(fold(key))) return false;
    among.add(fold(key));
    return true;
  };
  return (
    Array.isArray(doc.jobs) &&
    doc.jobs.every((job) => free(job.key, jobs) && (job.tasks ?? []).every((task) => free(task.key, tasks)))
  );
}
