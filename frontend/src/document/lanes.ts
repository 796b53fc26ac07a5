import { freeKey, freeKeys, withNeeds } from './commands';
import { type Op, positionsOf, tasksOf } from './ops';
import { withRenamedTasks } from './refs';
import type { Command, Label } from './store';
import type { Doc, Job, Task } from './types';

// Commands that move jobs and tasks. They remove needs that become impossible; the label contains their number.

/** Moves a job to a position among the other jobs. */
export function moveJob(doc: Doc, key: string, index: number): Command | undefined {
  const from = doc.jobs.findIndex((job) => job.key === key);
  const to = Math.max(0, Math.min(index, doc.jobs.length - 1));
  if (from < 0 || from === to) return undefined;
  const order = doc.jobs.map((_, j) => j);
  order.splice(to, 0, ...order.splice(from, 1));
  const dropped = dropImpossibleNeeds(doc, (task) => order.indexOf(positionsOf(doc).get(task)?.job ?? -1));
  return {
    label: withDropped({ kind: 'moveJob', params: { job: key } }, dropped.count),
    ops: [...dropped.ops, { op: 'job.move', key, index: to }],
    select: { tasks: [], job: key },
  };
}

/** Moves tasks, in the order of the document, into a job: to a position among its other tasks, or to its end. */
export function moveTasks(doc: Doc, keys: readonly string[], job: string, index = Infinity): Command | undefined {
  const lane = doc.jobs.findIndex((other) => other.key === job);
  const moved = inDocumentOrder(doc, keys);
  if (lane < 0 || moved.length === 0) return undefined;
  const ops = movesWithin(doc, moved, lane, index);
  if (ops.length === 0) return undefined;
  const movedKeys = new Set(moved);
  const dropped = dropImpossibleNeeds(doc, (task) =>
    movedKeys.has(task) ? lane : (positionsOf(doc).get(task)?.job ?? -1),
  );
  return {
    label: withDropped(movedLabel(moved), dropped.count),
    ops: [...dropped.ops, ...ops],
    select: { tasks: moved },
  };
}

/** Moves tasks into a new job before the job at a position, or at the end. */
export function moveTasksToNewJob(doc: Doc, keys: readonly string[], index: number): Command | undefined {
  const moved = inDocumentOrder(doc, keys);
  if (moved.length === 0) return undefined;
  const at = Math.max(0, Math.min(index, doc.jobs.length));
  const job = freeKey(
    doc.jobs.map((other) => other.key),
    'job',
  );
  const movedKeys = new Set(moved);
  const dropped = dropImpossibleNeeds(doc, (task) =>
    movedKeys.has(task) ? at - 0.5 : (positionsOf(doc).get(task)?.job ?? -1),
  );
  return {
    label: withDropped(movedLabel(moved), dropped.count),
    ops: [
      ...dropped.ops,
      { op: 'job.insert', index: at, job: { key: job, tasks: [] } },
      ...moved.map((key, i): Op => ({ op: 'task.move', key, job, index: i })),
    ],
    select: { tasks: moved },
  };
}

/** Adds copies after the tasks. A copy needs the copies of tasks that are copied too, and otherwise the same tasks. */
export function duplicateTasks(doc: Doc, keys: readonly string[]): Command | undefined {
  const copied = inDocumentOrder(doc, keys);
  const names = freeKeys(doc, copied);
  const keySet = new Set(copied);
  const ops = doc.jobs.flatMap((job: Job): Op[] => {
    const originals = (job.tasks ?? []).filter((task) => keySet.has(task.key));
    const last = originals.at(-1);
    const index = last ? (job.tasks ?? []).indexOf(last) + 1 : 0;
    return originals.map((task: Task, i) => ({
      op: 'task.insert',
      job: job.key,
      index: index + i,
      task: { ...withRenamedTasks(task, names), key: names.get(task.key) ?? task.key },
    }));
  });
  if (ops.length === 0) return undefined;
  const label: Label =
    copied.length === 1
      ? { kind: 'duplicateTask', params: { task: copied.join() } }
      : { kind: 'duplicateTasks', params: { count: copied.length } };
  return { label, ops, select: { tasks: [...names.values()] } };
}

/** The keys of existing tasks, in the order of the document, each once. */
export function inDocumentOrder(doc: Doc, keys: readonly string[]): string[] {
  const wanted = new Set(keys);
  return tasksOf(doc).flatMap((task) => (wanted.has(task.key) ? task.key : []));
}

/** The moves that bring tasks together at a position of a job; none if they are there already. */
function movesWithin(doc: Doc, moved: readonly string[], lane: number, index: number): Op[] {
  const job = doc.jobs[lane];
  const order = (job?.tasks ?? []).map((task) => task.key);
  const movedKeys = new Set(moved);
  const staying = order.filter((key) => !movedKeys.has(key));
  const anchor = staying[Math.max(0, index)];
  const ops: Op[] = [];
  for (const key of moved) {
    const from = order.indexOf(key);
    if (from >= 0) order.splice(from, 1);
    const to = anchor === undefined ? order.length : order.indexOf(anchor);
    order.splice(to, 0, key);
    if (from !== to) ops.push({ op: 'task.move', key, job: job?.key ?? '', index: to });
  }
  return order.every((key, i) => key === job?.tasks?.[i]?.key) && order.length === job?.tasks?.length ? [] : ops;
}

/** Operations that remove the needs that become impossible because tasks move. */
function dropImpossibleNeeds(doc: Doc, laneAfter: (task: string) => number): { ops: Op[]; count: number } {
  const positions = positionsOf(doc);
  let count = 0;
  const ops = tasksOf(doc).flatMap((task): Op[] => {
    const [laneBefore, laneNow] = [positions.get(task.key)?.job ?? -1, laneAfter(task.key)];
    const remaining =
      task.needs?.filter((need) => {
        const needPosition = positions.get(need);
        return !needPosition || needPosition.job >= laneBefore || laneAfter(need) < laneNow;
      }) ?? [];
    const dropped = (task.needs?.length ?? 0) - remaining.length;
    count += dropped;
    return dropped > 0 ? [{ op: 'task.put', key: task.key, value: withNeeds(task, remaining) }] : [];
  });
  return { ops, count };
}

const movedLabel = (moved: readonly string[]): Label =>
  moved.length === 1
    ? { kind: 'moveTask', params: { task: moved.join() } }
    : { kind: 'moveTasks', params: { n: moved.length } };

/** The label, with the number of removed dependencies if there are any. */
function withDropped(label: Label, dropped: number): Label {
  if (dropped === 0) return label;
  const kind = ({ moveJob: 'moveJobDropping', moveTask: 'moveTaskDropping', moveTasks: 'moveTasksDropping' } as const)[
    label.kind as 'moveJob' | 'moveTask' | 'moveTasks'
  ];
  return { kind, params: { ...label.params, count: dropped } };
}
