import type { DocFault } from './faults';
import { placesOf } from './ops';
import type { Doc } from './types';

/** A fault as the server tells it. */
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
 * All faults, each once: what is found here at once, and what only the server finds. Its verdict is on an earlier document,
 * perhaps: what it says of a task is shown where that task stands now, and left out if it is gone.
 */
export function joinFaults(
  client: readonly DocFault[],
  server: readonly ServerFault[],
  judged: Doc,
  now: Doc = judged,
): DocFault[] {
  const known = new Set(client.map(({ code, path }) => `${code} ${path}`));
  return [
    ...client,
    ...server
      .flatMap((fault) => located(fault, judged, now) ?? [])
      .filter(({ code, path }) => !known.has(`${code} ${path}`)),
  ];
}

function located(
  { code, path, message, remedy, warning, reason, params }: ServerFault,
  judged: Doc,
  now: Doc,
): DocFault | undefined {
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
  const rest = field === undefined ? '' : `.${field}`;
  const place = task && placesOf(now).get(task.key);
  if (task) {
    if (!place) return undefined;
    const need = task.needs?.[Number(NEED.exec(field ?? '')?.[1] ?? -1)];
    const words =
      code === 'redundant_need' && need !== undefined
        ? { say: 'redundant_need' as const, params: { need, task: task.key } }
        : {};
    return {
      ...fault,
      task: task.key,
      field,
      path: `jobs[${String(place.job)}].tasks[${String(place.index)}]${rest}`,
      ...words,
    };
  }
  const at = now.jobs.findIndex((other) => other.key === job?.key);
  return at < 0 ? undefined : { ...fault, job: job?.key, field, path: `jobs[${String(at)}]${rest}` };
}
