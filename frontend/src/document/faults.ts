import type words from '@/i18n/locales/en/document.json';

/** The name of a fault that has words here: a key below `fault` of the namespace `document`. */
export type FaultName = keyof (typeof words)['fault'];

/** One thing wrong with a document. `faultText` says it in words. */
export interface DocFault {
  code: string;
  /** Where, as the server says it: `jobs[1].tasks[0].needs[2]`. */
  path: string;
  /** The task or job that it is about. */
  task?: string;
  job?: string;
  /** The field of it, such as `needs`, `params.command`. */
  field?: string;
  params?: Record<string, string | number>;
  /** It does not keep the document from being published. */
  warning?: boolean;
  /** What the server says is wrong more exactly than by its code, of `params`. */
  reason?: string;
  /** Words of the server, where it found what cannot be found here. */
  message?: string;
  remedy?: string;
  /** Its words here, below `fault`; and those of its remedy, if they differ. Left out where the server's words are all there is. */
  say?: FaultName;
  remedySay?: FaultName;
}

/** A fault of a field, before it is known where its object stands. */
export interface FieldFault extends Omit<DocFault, 'path' | 'task' | 'job'> {
  field: string;
  say: FaultName;
}

export const MAX = {
  tasks: 20_000,
  jobs: 20_000,
  triggers: 200,
  title: 200,
  key: 128,
  retry: 100,
  faults: 1_000,
} as const;

const NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;
const KEY = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/;
const PARAM = /^[a-z][a-z0-9_]{0,62}$/;
const SITE = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,252}$/;

/** What a key of a job or task, and the name of a schedule, a parameter, a group or handler look like. */
export const isKey = (text: string): boolean => KEY.test(text);
export const isName = (text: string): boolean => NAME.test(text);
export const isParam = (text: string): boolean => PARAM.test(text);
export const isSite = (text: string): boolean => SITE.test(text);
