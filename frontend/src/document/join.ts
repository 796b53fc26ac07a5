import type { DocFault } from './faults';
import { placesOf } from './ops';
import type { Doc, Task } from './types';

/** A fault as the server's validation answers it. */
export interface ServerFault {
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
