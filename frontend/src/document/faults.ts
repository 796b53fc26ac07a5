import type { TFunction } from 'i18next';
import { faultAndRemedy } from '@/api/problem';
import type words from '@/i18n/locales/en/document.json';
import { placesOf } from './ops';
import type { Doc, Task } from './types';

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

/** A fault as the server's validation answers it. */
interface ServerFault {
  code: string;
  path: string;
  message: string;
  remedy?: string;
  warning?: boolean;
  reason?: string;
  params?: Record<string, string>;
}

const PATH = /^jobs\[(\d+)\](?:\.tasks\[(\d+)\])?(?:\.(.*))?$/s;
const NEED = /^needs\[(\d+)\]$/;

/**
 * All faults, each once: those found here, and those that only the server finds. The server may have `judged` an
 * earlier document: a fault of a task is placed where the task is `now`, and left out if the task was removed.
 */
export function joinFaults(
  client: readonly DocFault[],
  server: readonly ServerFault[],
  judged: Doc,
  now: Doc = judged,
): DocFault[] {
  const here = new Set(client.map(({ code, path }) => `${code} ${path}`));
  return [
    ...client,
    ...server
      .flatMap((fault) => located(fault, judged, now) ?? [])
      .filter(({ code, path }) => !here.has(`${code} ${path}`)),
  ];
}

/** A fault of the server at the place where its task or job is now; undefined if that was removed. */
function located(server: ServerFault, judged: Doc, now: Doc): DocFault | undefined {
  const { code, path, message, remedy, warning, reason, params } = server;
  const fault: DocFault = {
    code,
    path,
    message,
    remedy,
    ...(warning ? { warning } : {}),
    ...(reason ? { reason, params } : {}),
  };
  const [, j, t, field] = PATH.exec(path) ?? [];
  if (j === undefined) return path === '' ? fault : { ...fault, field: path };
  const job = judged.jobs[Number(j)];
  const task = t === undefined ? undefined : job?.tasks?.[Number(t)];
  if (task) return ofTask({ ...fault, field }, task, now);
  const at = now.jobs.findIndex((other) => other.key === job?.key);
  return at < 0 ? undefined : { ...fault, job: job?.key, field, path: `jobs[${String(at)}]${below(field)}` };
}

const below = (field: string | undefined) => (field === undefined ? '' : `.${field}`);

function ofTask(fault: DocFault, task: Task, now: Doc): DocFault | undefined {
  const place = placesOf(now).get(task.key);
  if (!place) return undefined;
  const { code, field } = fault;
  const need = task.needs?.[Number(NEED.exec(field ?? '')?.[1] ?? -1)];
  const path = `jobs[${String(place.job)}].tasks[${String(place.index)}]${below(field)}`;
  const located: DocFault = { ...fault, task: task.key, path };
  // It has words here that name the need.
  return code === 'redundant_need' && need !== undefined
    ? { ...located, say: 'redundant_need', params: { need, task: task.key } }
    : located;
}

/** A fault in words. */
export interface FaultText {
  message: string;
  /** What to do about it. */
  remedy?: string;
}

/** A fault in the user's language, or in the server's sentences if it has no text here. */
export function faultText(t: TFunction<'document'>, fault: DocFault): FaultText {
  if (!fault.say) {
    const [message, remedy] = faultAndRemedy(t, fault);
    return message ? { message, remedy } : { message: fault.message ?? fault.code, remedy: fault.remedy };
  }
  return {
    message: t(`fault.${fault.say}`, fault.params ?? {}),
    remedy: t(`remedy.${fault.remedySay ?? fault.say}`, fault.params ?? {}),
  };
}
