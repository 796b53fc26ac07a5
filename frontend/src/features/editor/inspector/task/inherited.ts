import { createContext, useContext } from 'react';
import { useTranslation } from 'react-i18next';
import { type Defaults, type Doc, type Job, jobOfTask } from '@/document';

/** The job whose defaults the fields of a form inherit. */
export const InheritsFrom = createContext<Job | undefined>(undefined);

/** Returns a function that says that a value comes from the job: `from job extract: etl`. */
export function useInherited(): (value: string) => string {
  const { t } = useTranslation('inspector');
  const job = useContext(InheritsFrom);
  return (value) => t('inherited', { job: job?.title ?? job?.key ?? '', value });
}

/** Whether a job of the tasks has a default for a field. The standard value must be written then. */
export const hasDefault = (doc: Doc, keys: readonly string[], field: keyof Defaults): boolean =>
  keys.some((key) => jobOfTask(doc, key)?.defaults?.[field] !== undefined);

/** The job of tasks, with its defaults, if all of them are in one. */
export function jobOfAll(doc: Doc, keys: readonly string[]): { job?: Job; defaults: Defaults } {
  const jobs = new Set(keys.map((key) => jobOfTask(doc, key)));
  const job = jobs.size === 1 ? [...jobs][0] : undefined;
  return { job, defaults: job?.defaults ?? {} };
}
