import { createContext, useCallback, useContext } from 'react';

/** The titles of tasks by key. Tasks without a title are not in the map. */
export const TaskTitles = createContext<ReadonlyMap<string, string>>(new Map());

/** The titles of jobs by key. Jobs without a title are not in the map. */
export const JobTitles = createContext<ReadonlyMap<string, string>>(new Map());

/** Returns a function from the key of a task to its title, or to the key if there is no title. */
export function useTaskNames(): (key: string) => string {
  const titles = useContext(TaskTitles);
  return useCallback((key) => titles.get(key) ?? key, [titles]);
}

/** The title of a task, or its key. */
export function useTaskName(key: string): string {
  return useTaskNames()(key);
}

/** The title of a job, or its key. */
export function useJobName(key: string): string {
  return useContext(JobTitles).get(key) ?? key;
}
