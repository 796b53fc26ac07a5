import { byNumber, type NumberedGraph, type TaskGraph } from '@/graph';
import type { Box, Past } from './types';

type Pair = readonly [from: number, to: number];

/** What stays of an earlier drawing. Tasks by their numbers in the new graph. */
export interface Stay {
  /** The tasks of each lane from left to right, column by column. */
  order: number[][];
  /** Where tasks that nobody touched stood in the same lane. */
  boxes: ReadonlyMap<number, Box>;
  /** Lanes in which nothing was touched at all. */
  untouched: readonly boolean[];
  /** Lanes into which no task has come. */
  unfilled: readonly boolean[];
}

/** When more than this part of the tasks was touched, it is another drawing. */
const ANOTHER = 1 / 2;
/** Few tasks are never another drawing. */
const FEW = 8;

/**
 * What can stay as it was: tasks that nobody touched keep their order. One that came stands before the task that follows it in
 * the document, one whose needs changed where it stood, unless another place in its lane has fewer crossings. Undefined
 * if too little is the same.
 */
export function stayOf(graph: TaskGraph, g: NumberedGraph, drawn: readonly Pair[], past: Past): Stay | undefined {
  const { jobOld, taskOld } = namesakes(past.graph, graph);
  const before = byNumber(past.graph);
  const laneOfJob = new Map(past.graph.jobs.map((job, lane) => [job.key, lane]));
  const boxes = new Map<number, Box>();
  const changed = new Set<number>();
  g.tasks.forEach((task, i) => {
    const old = taskOld.get(task.key) ?? task.key;
    const box = past.layout.boxes.get(old);
    const job = graph.jobs[g.laneOf[i] ?? 0];
    if (!box || !job || laneOfJob.get(jobOld.get(job.key) ?? job.key) !== box.lane) return;
    const needs = before.tasks[before.byKey.get(old) ?? -1]?.needs ?? [];
    const now = task.needs.map((need) => taskOld.get(need) ?? need);
    if (needs.length !== now.length || now.some((need) => !needs.includes(need))) changed.add(i);
    boxes.set(i, box);
  });
  for (const task of shuffled(g, (i) =>
    boxes.has(i) ? before.byKey.get(taskOld.get(g.tasks[i]?.key ?? '') ?? g.tasks[i]?.key ?? '') : undefined,
  ))
    boxes.delete(task);
  const touched = g.tasks.length - boxes.size + changed.size;
  if (touched > FEW && touched > g.tasks.length * ANOTHER) return undefined;

  const order = g.lanes.map((lane) => placed(lane, boxes));
  improve(g, drawn, order, (task) => (boxes.has(task) ? changed.has(task) : cameUndirected(g, past, task)));
  const lanesOld = graph.jobs.map((job) => laneOfJob.get(jobOld.get(job.key) ?? job.key));
  const unfilled = g.lanes.map((lane, i) => lanesOld[i] !== undefined && lane.every((task) => boxes.has(task)));
  const untouched = g.lanes.map(
    (lane, i) =>
      unfilled[i] === true &&
      before.lanes[lanesOld[i] ?? -1]?.length === lane.length &&
      lane.every((task) => !changed.has(task)),
  );
  const still = new Map([...boxes].filter(([task]) => !changed.has(task)));
  return { order, boxes: still, untouched, unfilled };
}

/** Tasks that were put elsewhere among those of their lane: as few as explain the new order. */
function shuffled(g: NumberedGraph, wasAt: (task: number) => number | undefined): number[] {
  return g.lanes.flatMap((lane) => {
    const stayed = lane.flatMap((task) => {
      const was = wasAt(task);
      return was === undefined ? [] : [{ task, was }];
    });
    if (stayed.every(({ was }, i) => was > (stayed[i - 1]?.was ?? -1))) return [];
    // The longest run of tasks in their former order stays; `ends` are the last of the best run of each length.
    const ends: number[] = [];
    const prior: (number | undefined)[] = [];
    stayed.forEach(({ was }, i) => {
      let length = 0;
      while (length < ends.length && (stayed[ends[length] ?? 0]?.was ?? 0) < was) length++;
      prior[i] = ends[length - 1];
      ends[length] = i;
    });
    const keep = new Set<number>();
    for (let i = ends.at(-1); i !== undefined; i = prior[i]) keep.add(i);
    return stayed.flatMap(({ task }, i) => (keep.has(i) ? [] : task));
  });
}

/** A task that is wholly new goes where its dependencies want it; one that was moved was put where it is. */
const cameUndirected = (g: NumberedGraph, past: Past, task: number): boolean =>
  !past.layout.boxes.has(g.tasks[task]?.key ?? '');

/** A lane in its former order, with what came put before what follows it in the document. */
function placed(lane: readonly number[], boxes: ReadonlyMap<number, Box>): number[] {
  const at = (task: number) => boxes.get(task);
  const list = lane
    .filter((task) => boxes.has(task))
    .sort((a, b) => (at(a)?.x ?? 0) - (at(b)?.x ?? 0) || (at(a)?.row ?? 0) - (at(b)?.row ?? 0));
  for (let i = lane.length - 1; i >= 0; i--) {
    const task = lane[i];
    if (task === undefined || boxes.has(task)) continue;
    const next = list.indexOf(lane[i + 1] ?? -1);
    list.splice(next < 0 ? list.length : next, 0, task);
  }
  return list;
}

/** Puts each task that may move where its edges cross the fewest others; the nearest such place, and where it is if none is better. */
function improve(
  g: NumberedGraph,
  drawn: readonly Pair[],
  order: number[][],
  mayMove: (task: number) => boolean,
): void {
  const tied: number[][] = g.tasks.map(() => []);
  for (const [from, to] of drawn) {
    tied[from]?.push(to);
    tied[to]?.push(from);
  }
  const place: number[] = [];
  const settle = (lane: readonly number[]) => {
    lane.forEach((task, i) => {
      place[task] = i;
    });
  };
  order.forEach(settle);
  /** Crossings between the edges of two tasks of a lane, the first left of the second. */
  const crossings = (left: number, right: number) => {
    let sum = 0;
    for (const a of tied[left] ?? [])
      for (const b of tied[right] ?? []) if (g.laneOf[a] === g.laneOf[b] && (place[a] ?? 0) > (place[b] ?? 0)) sum++;
    return sum;
  };
  for (const lane of order) {
    for (const task of lane.filter((each) => mayMove(each) && (tied[each]?.length ?? 0) > 0)) {
      const rest = lane.filter((other) => other !== task);
      const from = lane.indexOf(task);
      let cost = rest.reduce((sum, other) => sum + crossings(task, other), 0);
      const costs = [cost];
      for (const other of rest) costs.push((cost += crossings(other, task) - crossings(task, other)));
      let to = from;
      costs.forEach((now, i) => {
        const best = costs[to] ?? 0;
        if (now < best || (now === best && to !== from && Math.abs(i - from) < Math.abs(to - from))) to = i;
      });
      if (to === from) continue;
      lane.splice(0, lane.length, ...rest.toSpliced(to, 0, task));
      settle(lane);
    }
  }
}

/** What jobs and tasks were called before, where they were given another key and nothing else was done to them. */
function namesakes(
  before: TaskGraph,
  now: TaskGraph,
): { jobOld: ReadonlyMap<string, string>; taskOld: ReadonlyMap<string, string> } {
  const jobOld = renamed(before.jobs, now.jobs);
  const taskOld = new Map<string, string>();
  const tasksBefore = new Map(before.jobs.map((job) => [job.key, job.tasks]));
  for (const job of now.jobs) {
    renamed(tasksBefore.get(jobOld.get(job.key) ?? job.key) ?? [], job.tasks).forEach((old, key) =>
      taskOld.set(key, old),
    );
  }
  return { jobOld, taskOld };
}

interface Keyed {
  key: string;
}

function renamed(before: readonly Keyed[], now: readonly Keyed[]): Map<string, string> {
  const out = new Map<string, string>();
  if (before.length !== now.length) return out;
  const [had, has] = [new Set(before.map(({ key }) => key)), new Set(now.map(({ key }) => key))];
  now.forEach(({ key }, i) => {
    const old = before[i]?.key ?? key;
    if (old !== key && !has.has(old) && !had.has(key)) out.set(key, old);
  });
  // One at a time: where all have other names, they are others.
  return out.size === 1 ? out : new Map();
}
