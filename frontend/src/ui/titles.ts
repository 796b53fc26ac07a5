import { createContext, useCallback, useContext } from 'react';

/** The titles of tasks, by key; those without one are left out. */
export const TaskTitles = createContext<ReadonlyMap<string, string>>(new Map());

/** The titles of jobs, likewise. */
export const JobTitles = createContext<ReadonlyMap<string, string>>(new Map());

/** What tasks are called on the page, by key: their titles, as on their cards, or their keys. */
export function useTaskNames(): (key: string) => string {
  const titles = useContext(TaskTitles);
  return useCallback((key) => titles.get(key) ?? key, [titles]);
}

/** What one task is called on the page. */
export function useTaskName(key: string): string {
  return useTaskNames()(key);
}

/** What a job is called on the page, likewise. */
export function useJobName(key: string): string {
  return useContext(JobTitles).get(key) ?? key;
}
