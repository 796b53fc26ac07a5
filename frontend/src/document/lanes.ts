import { freeKey, freeKeys, withNeeds } from './commands';
import { type Op, placesOf, tasksOf } from './ops';
import { renamedIn } from './refs';
import type { Command, Label } from './store';
import type { Doc, Job, Task } from './types';

// Commands that move jobs and tasks. Needs that become impossible are removed; the label says how many.

/** Moves a job to a position, counted without it. */
export function moveJob(doc: Doc, key: string, index: number): Command | undefined {
  const from = doc.jobs.findIndex((job) => job.key === key);
  const to = Math.max(0, Math.min(index, doc.jobs.length - 1));
  if (from < 0 || from === to) return undefined;
  const order = doc.jobs.map((_, j) => j);
  order.splice(to, 0, ...order.splice(from, 1));
  const lost = impossible(doc, (task) => order.indexOf(placesOf(doc).get(task)?.job ?? -1));
  return {
    label: withLost({ did: 'moveJob', params: { job: key } }, lost.count),
    ops: [...lost.ops, { op: 'job.move', key, index: to }],
    select: { tasks: [], job: key },
  };
}

/** Moves tasks, in the order of the document, into a job: to a position, counted without them, or to its end. */
export function moveTasks(doc: Doc, keys: readonly string[], job: string, index = Infinity): Command | undefined {
  const lane = doc.jobs.findIndex((other) => other.key === job);
  const moved = inOrder(doc, keys);
  if (lane < 0 || moved.length === 0) return undefined;
  const ops = arrange(doc, moved, lane, index);
  if (ops.length === 0) return undefined;
  const going = new Set(moved);
  const lost = impossible(doc, (task) => (going.has(task) ? lane : (placesOf(doc).get(task)?.job ?? -1)));
  return { label: withLost(movedLabel(moved), lost.count), ops: [...lost.ops, ...ops], select: { tasks: moved } };
}

/** Moves tasks into a new job before the job at a position, or at the end. */
export function moveTasksToNewJob(doc: Doc, keys: readonly string[], index: number): Command | undefined {
  const moved = inOrder(doc, keys);
  if (moved.length === 0) return undefined;
  const at = Math.max(0, Math.min(index, doc.jobs.length));
  const job = freeKey(
    doc.jobs.map((other) => other.key),
    'job',
  );
  const going = new Set(moved);
  const lost = impossible(doc, (task) => (going.has(task) ? at - 0.5 : (placesOf(doc).get(task)?.job ?? -1)));
  return {
    label: withLost(movedLabel(moved), lost.count),
    ops: [
      ...lost.ops,
      { op: 'job.insert', index: at, job: { key: job, tasks: [] } },
      ...moved.map((key, i): Op => ({ op: 'task.move', key, job, index: i })),
    ],
    select: { tasks: moved },
  };
}

/** Copies tasks beside them. Needs among the originals become needs among the copies; others stay. */
export function duplicateTasks(doc: Doc, keys: readonly string[]): Command | undefined {
  const copied = inOrder(doc, keys);
  const names = freeKeys(doc, copied);
  const of = new Set(copied);
  const ops = doc.jobs.flatMap((job: Job): Op[] => {
    const originals = (job.tasks ?? []).filter((task) => of.has(task.key));
    const last = originals.at(-1);
    const index = last ? (job.tasks ?? []).indexOf(last) + 1 : 0;
    return originals.map((task: Task, i) => ({
      op: 'task.insert',
      job: job.key,
      index: index + i,
      task: { ...renamedIn(task, names), key: names.get(task.key) ?? task.key },
    }));
  });
  if (ops.length === 0) return undefined;
  const label: Label =
    copied.length === 1
      ? { did: 'duplicateTask', params: { task: copied.join() } }
      : { did: 'duplicateTasks', params: { count: copied.length } };
  return { label, ops, select: { tasks: [...names.values()] } };
}

/** The keys that name tasks, in the order of the document, each once. */
export function inOrder(doc: Doc, keys: readonly string[]): string[] {
  const wanted = new Set(keys);
  return tasksOf(doc).flatMap((task) => (wanted.has(task.key) ? task.key : []));
}

/** The moves that bring tasks together before a position of a lane; none if they are there. */
function arrange(doc: Doc, moved: readonly string[], lane: number, index: number): Op[] {
  const job = doc.jobs[lane];
  const row = (job?.tasks ?? []).map((task) => task.key);
  const going = new Set(moved);
  const staying = row.filter((key) => !going.has(key));
  const anchor = staying[Math.max(0, index)];
  const ops: Op[] = [];
  for (const key of moved) {
    const was = row.indexOf(key);
    if (was >= 0) row.splice(was, 1);
    const to = anchor === undefined ? row.length : row.indexOf(anchor);
    row.splice(to, 0, key);
    if (was !== to) ops.push({ op: 'task.move', key, job: job?.key ?? '', index: to });
  }
  return row.every((key, i) => key === job?.tasks?.[i]?.key) && row.length === job?.tasks?.length ? [] : ops;
}

/** Operations that remove needs which were possible and no longer are, after tasks have moved. */
function impossible(doc: Doc, laneAfter: (task: string) => number): { ops: Op[]; count: number } {
  const places = placesOf(doc);
  let count = 0;
  const ops = tasksOf(doc).flatMap((task): Op[] => {
    const [was, is] = [places.get(task.key)?.job ?? -1, laneAfter(task.key)];
    const kept =
      task.needs?.filter((need) => {
        const of = places.get(need);
        return !of || of.job >= was || laneAfter(need) < is;
      }) ?? [];
    const lost = (task.needs?.length ?? 0) - kept.length;
    count += lost;
    return lost > 0 ? [{ op: 'task.put', key: task.key, value: withNeeds(task, kept) }] : [];
  });
  return { ops, count };
}

const movedLabel = (moved: readonly string[]): Label =>
  moved.length === 1
    ? { did: 'moveTask', params: { task: moved.join() } }
    : { did: 'moveTasks', params: { n: moved.length } };

/** A label with the number of dependencies that are removed, if there are any. */
function withLost(label: Label, lost: number): Label {
  if (lost === 0) return label;
  const did = ({ moveJob: 'moveJobDropping', moveTask: 'moveTaskDropping', moveTasks: 'moveTasksDropping' } as const)[
    label.did as 'moveJob' | 'moveTask' | 'moveTasks'
  ];
  return { did, params: { ...label.params, count: lost } };
}
