import { createContext, useContext } from 'react';

/** The titles of tasks, by key; those without one are left out. */
export const TaskTitles = createContext<ReadonlyMap<string, string>>(new Map());

/** The titles of jobs, likewise. */
export const JobTitles = createContext<ReadonlyMap<string, string>>(new Map());

/** What a task is called on the page: its title, as on its card, or its key. */
export function useTaskName(key: string): string {
  return useContext(TaskTitles).get(key) ?? key;
}

/** What a job is called on the page, likewise. */
export function useJobName(key: string): string {
  return useContext(JobTitles).get(key) ?? key;
}
