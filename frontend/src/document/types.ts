import type { Definition, DefinitionJob, DefinitionTask } from '@/api/definition';

/**
 * A schedule while it is edited. It may have any faults but one: the keys of its jobs, and the keys of its tasks, are
 * not empty and are unique, ignoring case, since commands name tasks and jobs by key. `hasUniqueKeys` checks that.
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

/** The selected tasks, job or dependency. Never both tasks and a job. */
export interface Selection {
  tasks: readonly string[];
  job?: string;
  /** A dependency, by its ends. */
  edge?: { from: string; to: string };
}

/** An empty selection. */
export const NO_SELECTION: Selection = { tasks: [] };

/** The form of a key for comparison: keys that differ only in case are the same. */
export const foldCase = (key: string): string => key.toLowerCase();

/** Whether all keys exist and are unique, so that the document can be edited. */
export function hasUniqueKeys(doc: Doc): boolean {
  const jobs = new Set<string>();
  const tasks = new Set<string>();
  const isNew = (key: unknown, seen: Set<string>) => {
    if (typeof key !== 'string' || key === '' || seen.has(foldCase(key))) return false;
    seen.add(foldCase(key));
    return true;
  };
  return (
    Array.isArray(doc.jobs) &&
    doc.jobs.every((job) => isNew(job.key, jobs) && (job.tasks ?? []).every((task) => isNew(task.key, tasks)))
  );
}
