import type { Definition, DefinitionJob, DefinitionTask } from '@/api/definition';

/**
 * A schedule while it is edited. It may have any faults but one: keys of jobs are not empty and are unique, ignoring
 * case, and so are keys of tasks, since everything else names them by their keys. `sound` checks that.
 */
export type Doc = Definition;
/** A job of a schedule. */
export type Job = DefinitionJob;
/** A task of a job. */
export type Task = DefinitionTask;

/** A schedule without its jobs. */
export type Head = Omit<Doc, 'jobs'>;
/** A job without its tasks. */
export type JobHead = Omit<Job, 'tasks'>;

/** What is selected. Never both tasks and a job. */
export interface Selection {
  tasks: readonly string[];
  job?: string;
  /** A dependency, by its ends. */
  edge?: { from: string; to: string };
}

/** An empty selection. */
export const NOTHING: Selection = { tasks: [] };

/** A key for comparison: keys that differ only in case are the same. */
export const fold = (key: string): string => key.toLowerCase();

/** Whether all keys are there and unique, so that the document can be edited. */
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
