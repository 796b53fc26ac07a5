import type { TFunction } from 'i18next';
import { faultAndRemedy } from '@/api/problem';
import type texts from '@/i18n/locales/en/document.json';
import { positionsOf } from './ops';
import type { Doc, Task } from './types';

/** The name of a fault that has a text: a key below `fault` of the namespace `document`. */
export type FaultName = keyof (typeof texts)['fault'];

/** One fault of a document. */
export interface DocFault {
  code: string;
  /** The path of the faulty value, as the server writes it: `jobs[1].tasks[0].needs[2]`. */
  path: string;
  /** The key of the faulty task or job. */
  task?: string;
  job?: string;
  /** The field of the task, job or schedule, such as `needs` or `params.command`. */
  field?: string;
  params?: Record<string, string | number>;
  /** The document can be published in spite of it. */
  warning?: boolean;
  /** The server's reason, which is more precise than the code. Its texts take `params`. */
  reason?: string;
  /** The server's own sentences, for faults that only the server finds. */
  message?: string;
  remedy?: string;
  /** The keys of its text, and of its remedy if that differs. Undefined if only the server's sentences exist. */
  textKey?: FaultName;
  remedyKey?: FaultName;
}

/** A fault of a field, without the path of the object that has the field. */
export interface FieldFault extends Omit<DocFault, 'path' | 'task' | 'job'> {
  field: string;
  textKey: FaultName;
}

/** The limits of a document, as the server has them. */
export const MAX = {
  tasks: 20_000,
  jobs: 20_000,
  triggers: 200,
  title: 200,
  key: 128,
  retry: 100,
  rejects: 1_000,
  shards: 1_000,
  slots: 1_000_000,
  faults: 1_000,
  keptBatches: 10_000_000,
  keptDays: 36_500,
} as const;

const NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;
const KEY = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/;
const PARAM = /^[a-z][a-z0-9_]{0,62}$/;
const RESOURCE_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,252}$/;

/** Whether a text can be the key of a job or task. */
export const isKey = (text: string): boolean => KEY.test(text);
/** Whether a text can be the name of a schedule. */
export const isName = (text: string): boolean => NAME.test(text);
/** Whether a text can be the name of a param. */
export const isParam = (text: string): boolean => PARAM.test(text);
/** Whether a text can be the name of a group, a handler, an executor or a label. */
export const isResourceName = (text: string): boolean => RESOURCE_NAME.test(text);

/** A fault in the answer of the server's validation. */
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
const IN_TASK = /^jobs\[\d+\]\.tasks\[\d+\]\./;
const NEED = /^needs\[(\d+)\]$/;

/**
 * All faults, each once: the faults found here, and the faults that only the server finds. The server may have
 * `validated` an earlier document. The path of a task's fault is then its path in `current`; faults of removed tasks
 * are left out.
 */
export function joinFaults(
  client: readonly DocFault[],
  server: readonly ServerFault[],
  validated: Doc,
  current: Doc = validated,
): DocFault[] {
  const clientKeys = new Set(client.map(({ code, path }) => `${code} ${path}`));
  return [
    ...client,
    ...server
      .flatMap((fault) => relocated(fault, validated, current) ?? [])
      .filter(({ code, path }) => !clientKeys.has(`${code} ${path}`)),
  ];
}

/** A fault of the server with the present path of its task or job; undefined if the task or job was removed. */
function relocated(server: ServerFault, validated: Doc, current: Doc): DocFault | undefined {
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
  const job = validated.jobs[Number(j)];
  const task = t === undefined ? undefined : job?.tasks?.[Number(t)];
  if (task) return relocatedToTask({ ...fault, field }, task, current);
  const at = current.jobs.findIndex((other) => other.key === job?.key);
  return at < 0 ? undefined : { ...fault, job: job?.key, field, path: `jobs[${String(at)}]${fieldSuffix(field)}` };
}

const fieldSuffix = (field: string | undefined) => (field === undefined ? '' : `.${field}`);

function relocatedToTask(fault: DocFault, task: Task, current: Doc): DocFault | undefined {
  const position = positionsOf(current).get(task.key);
  if (!position) return undefined;
  const { code, field } = fault;
  const need = task.needs?.[Number(NEED.exec(field ?? '')?.[1] ?? -1)];
  const path = `jobs[${String(position.job)}].tasks[${String(position.index)}]${fieldSuffix(field)}`;
  const located: DocFault = { ...fault, task: task.key, path };
  // The text of this fault names the need.
  return code === 'redundant_need' && need !== undefined
    ? { ...located, textKey: 'redundant_need', params: { need, task: task.key } }
    : located;
}

/**
 * How a fault is shown: a field of a task that is still empty is no mistake, but must be filled in before publishing;
 * a warning may stay.
 */
export type FaultKind = 'wrong' | 'empty' | 'warning';

/** The kind of a fault. */
export function faultKind({
  code,
  path,
  reason,
  warning,
}: Pick<DocFault, 'code' | 'path' | 'reason' | 'warning'>): FaultKind {
  if (warning) return 'warning';
  const isMissing = code === 'missing_field' || reason === 'param_one_of';
  return isMissing && IN_TASK.test(path) ? 'empty' : 'wrong';
}

const RANK: Readonly<Record<FaultKind, number>> = { wrong: 0, empty: 1, warning: 2 };

/** The most severe of two kinds. */
export const worseKind = (one: FaultKind, other: FaultKind): FaultKind => (RANK[one] <= RANK[other] ? one : other);

/** The text of a fault. */
export interface FaultText {
  message: string;
  /** What to do about it. */
  remedy?: string;
}

/** The text of a fault in the user's language, or the server's sentences if there is none. */
export function faultText(t: TFunction<'document'>, fault: DocFault): FaultText {
  if (!fault.textKey) {
    const [message, remedy] = faultAndRemedy(t, fault);
    return message ? { message, remedy } : { message: fault.message ?? fault.code, remedy: fault.remedy };
  }
  return {
    message: t(`fault.${fault.textKey}`, fault.params ?? {}),
    remedy: t(`remedy.${fault.remedyKey ?? fault.textKey}`, fault.params ?? {}),
  };
}
