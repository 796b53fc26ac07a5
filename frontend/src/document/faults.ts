import type words from '@/i18n/locales/en/document.json';

/** The name of a fault that has words here: a key below `fault` of the namespace `document`. */
export type FaultName = keyof (typeof words)['fault'];

/** One thing that is wrong with a document. `faultText` puts it in words. */
export interface DocFault {
  code: string;
  /** Where, as the server says it: `jobs[1].tasks[0].needs[2]`. */
  path: string;
  /** Key of the task or the job that it is about. */
  task?: string;
  job?: string;
  /** The field of it, such as `needs`, `params.command`. */
  field?: string;
  params?: Record<string, string | number>;
  /** It does not keep the document from being published. */
  warning?: boolean;
  /** The server's finer reason, beside its code; its texts take `params`. */
  reason?: string;
  /** The server's own sentences, for faults that only the server finds. */
  message?: string;
  remedy?: string;
  /** Key of its text here, and of its remedy's if that differs; undefined if there are only the server's sentences. */
  say?: FaultName;
  remedySay?: FaultName;
}

/** A fault of a field, without the place of the object that has the field. */
export interface FieldFault extends Omit<DocFault, 'path' | 'task' | 'job'> {
  field: string;
  say: FaultName;
}

/** The limits of a document, as the server has them. */
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

/** Whether a text can be the key of a job or task. */
export const isKey = (text: string): boolean => KEY.test(text);
/** Whether a text can be the name of a schedule. */
export const isName = (text: string): boolean => NAME.test(text);
/** Whether a text can be the name of a param. */
export const isParam = (text: string): boolean => PARAM.test(text);
/** Whether a text can be the name of a group, a handler, an executor or a label. */
export const isSite = (text: string): boolean => SITE.test(text);
