import { freeKey, freeKeys, withNeeds } from './commands';
import { type Op, placesOf, tasksOf } from './ops';
import { refuse } from './refuse';
import { renamedIn } from './refs';
import type { Command, Label } from './store';
import type { Doc, Job, Selection, Task } from './types';

// What changes the places of jobs and tasks. A need that becomes impossible by it is dropped, and the label says how many are.

/** Puts a job at another position, counted without it. */
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

/** Puts tasks into a job, in the order of the document, before the one at a position, counted without them; at its end if there is none. */
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

/** Puts tasks into a new job before the one at a position; at the end if there is none. */
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

/**
 * Lets a task need another one of its own job: it moves to the next job first, or to a new one in between where tasks of
 * the next job need it.
 */
export function moveTargetLater(doc: Doc, from: string, to: string): Command | undefined {
  const places = placesOf(doc);
  const at = places.get(to);
  const job = at && doc.jobs[at.job];
  const task = at && job?.tasks?.[at.index];
  if (!task || refuse(doc, from, to)?.code !== 'same_job') return undefined;
  const put: Op = { op: 'task.put', key: to, value: withNeeds(task, [...(task.needs ?? []), from]) };
  const next = doc.jobs[at.job + 1];
  const select: Selection = { tasks: [to] };
  if (next && !next.tasks?.some((other) => other.needs?.includes(to))) {
    return {
      label: { did: 'moveTargetLater', params: { from, to, job: next.key } },
      ops: [{ op: 'task.move', key: to, job: next.key, index: next.tasks?.length ?? 0 }, put],
      select,
    };
  }
  const made = freeKey(
    doc.jobs.map((other) => other.key),
    'job',
  );
  return {
    label: { did: 'moveTargetLater', params: { from, to, job: made } },
    ops: [
      { op: 'job.insert', index: at.job + 1, job: { key: made, tasks: [] } },
      { op: 'task.move', key: to, job: made, index: 0 },
      put,
    ],
    select,
  };
}

/** Copies of tasks beside them: needs among the copied are those of the copies, all others stay. */
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

/** Keys of tasks that there are, in the order of the document, each once. */
export function inOrder(doc: Doc, keys: readonly string[]): string[] {
  const wanted = new Set(keys);
  return tasksOf(doc).flatMap((task) => (wanted.has(task.key) ? task.key : []));
}

/** The moves that bring tasks together before a position of a lane; none if they stand there. */
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

/** What drops the needs that were possible, and are not where tasks stand in other lanes. */
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

/** The label, with how many dependencies are dropped by the way. */
function withLost(label: Label, lost: number): Label {
  if (lost === 0) return label;
  const did = ({ moveJob: 'moveJobDropping', moveTask: 'moveTaskDropping', moveTasks: 'moveTasksDropping' } as const)[
    label.did as 'moveJob' | 'moveTask' | 'moveTasks'
  ];
  return { did, params: { ...label.params, count: lost } };
}
