import { byNumber, type NumberedGraph, type TaskGraph } from '@/graph';
import type { Box, PreviousLayout } from './types';

type Pair = readonly [from: number, to: number];

/** The reusable part of the previous layout. Tasks are numbered as in the new graph. */
export interface Reuse {
  /** The tasks of each lane from left to right, column by column. */
  order: number[][];
  /** The former boxes of untouched tasks that stayed in their lane. */
  boxes: ReadonlyMap<number, Box>;
  /** For each lane, whether it has the same tasks as before, none of them touched. */
  untouched: readonly boolean[];
  /** For each lane, whether no task was added to it. */
  noneAdded: readonly boolean[];
}

/** If more than this fraction of the tasks was touched, nothing is reused. */
const MOST_TOUCHED = 1 / 2;
/** Up to this many touched tasks never prevent reuse. */
const FEW = 8;

/**
 * Finds the reusable part of the previous layout. Untouched tasks keep their order. A new task is put before the task
 * that follows it in the document; a task with changed needs keeps its position. Both are moved within their lane if
 * that causes fewer crossings. Undefined if too much has changed.
 */
export function findReuse(
  graph: TaskGraph,
  g: NumberedGraph,
  drawn: readonly Pair[],
  previous: PreviousLayout,
): Reuse | undefined {
  const { jobOld, taskOld } = formerKeys(previous.graph, graph);
  const before = byNumber(previous.graph);
  const laneOfJob = new Map(previous.graph.jobs.map((job, lane) => [job.key, lane]));
  const boxes = new Map<number, Box>();
  const changed = new Set<number>();
  g.tasks.forEach((task, i) => {
    const old = taskOld.get(task.key) ?? task.key;
    const box = previous.layout.boxes.get(old);
    const job = graph.jobs[g.laneOf[i] ?? 0];
    if (!box || !job || laneOfJob.get(jobOld.get(job.key) ?? job.key) !== box.lane) return;
    const needs = before.tasks[before.byKey.get(old) ?? -1]?.needs ?? [];
    const now = task.needs.map((need) => taskOld.get(need) ?? need);
    if (needs.length !== now.length || now.some((need) => !needs.includes(need))) changed.add(i);
    boxes.set(i, box);
  });
  for (const task of reordered(g, (i) =>
    boxes.has(i) ? before.byKey.get(taskOld.get(g.tasks[i]?.key ?? '') ?? g.tasks[i]?.key ?? '') : undefined,
  ))
    boxes.delete(task);
  const touched = g.tasks.length - boxes.size + changed.size;
  if (touched > FEW && touched > g.tasks.length * MOST_TOUCHED) return undefined;

  const order = g.lanes.map((lane) => formerOrder(lane, boxes));
  improve(g, drawn, order, (task) => (boxes.has(task) ? changed.has(task) : isNew(g, previous, task)));
  const lanesOld = graph.jobs.map((job) => laneOfJob.get(jobOld.get(job.key) ?? job.key));
  const noneAdded = g.lanes.map((lane, i) => lanesOld[i] !== undefined && lane.every((task) => boxes.has(task)));
  const untouched = g.lanes.map(
    (lane, i) =>
      noneAdded[i] === true &&
      before.lanes[lanesOld[i] ?? -1]?.length === lane.length &&
      lane.every((task) => !changed.has(task)),
  );
  const unchangedBoxes = new Map([...boxes].filter(([task]) => !changed.has(task)));
  return { order, boxes: unchangedBoxes, untouched, noneAdded };
}

/** Tasks that were moved within their lane: the fewest that explain the new order. */
function reordered(g: NumberedGraph, formerIndexOf: (task: number) => number | undefined): number[] {
  return g.lanes.flatMap((lane) => {
    const stayed = lane.flatMap((task) => {
      const formerIndex = formerIndexOf(task);
      return formerIndex === undefined ? [] : [{ task, formerIndex }];
    });
    if (stayed.every(({ formerIndex }, i) => formerIndex > (stayed[i - 1]?.formerIndex ?? -1))) return [];
    // The longest increasing subsequence of former positions stays. For each length, `ends` has the last task of the
    // best subsequence.
    const ends: number[] = [];
    const prior: (number | undefined)[] = [];
    stayed.forEach(({ formerIndex }, i) => {
      let length = 0;
      while (length < ends.length && (stayed[ends[length] ?? 0]?.formerIndex ?? 0) < formerIndex) length++;
      prior[i] = ends[length - 1];
      ends[length] = i;
    });
    const keep = new Set<number>();
    for (let i = ends.at(-1); i !== undefined; i = prior[i]) keep.add(i);
    return stayed.flatMap(({ task }, i) => (keep.has(i) ? [] : task));
  });
}

/** Whether a task is new. Crossings decide its position; a task that the user moved stays at the drop position. */
const isNew = (g: NumberedGraph, previous: PreviousLayout, task: number): boolean =>
  !previous.layout.boxes.has(g.tasks[task]?.key ?? '');

/** The tasks of a lane in their former order. A new task is before the task that follows it in the document. */
function formerOrder(lane: readonly number[], boxes: ReadonlyMap<number, Box>): number[] {
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

/**
 * Moves each task that may move to the nearest position where its edges cross the fewest other edges, if there are
 * fewer crossings than now.
 */
function improve(
  g: NumberedGraph,
  drawn: readonly Pair[],
  order: number[][],
  mayMove: (task: number) => boolean,
): void {
  const neighbours: number[][] = g.tasks.map(() => []);
  for (const [from, to] of drawn) {
    neighbours[from]?.push(to);
    neighbours[to]?.push(from);
  }
  const position: number[] = [];
  const notePositions = (lane: readonly number[]) => {
    lane.forEach((task, i) => {
      position[task] = i;
    });
  };
  order.forEach(notePositions);
  /** Crossings between the edges of two tasks of a lane, the first left of the second. */
  const crossings = (left: number, right: number) => {
    let sum = 0;
    for (const a of neighbours[left] ?? [])
      for (const b of neighbours[right] ?? [])
        if (g.laneOf[a] === g.laneOf[b] && (position[a] ?? 0) > (position[b] ?? 0)) sum++;
    return sum;
  };
  for (const lane of order) {
    for (const task of lane.filter((each) => mayMove(each) && (neighbours[each]?.length ?? 0) > 0)) {
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
      notePositions(lane);
    }
  }
}

/** The former keys of renamed jobs and tasks, by their present keys. */
function formerKeys(
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

/** The former key of the one renamed entry of a list, by its present key; empty if several keys differ. */
function renamed(before: readonly Keyed[], now: readonly Keyed[]): Map<string, string> {
  const out = new Map<string, string>();
  if (before.length !== now.length) return out;
  const [keysBefore, keysNow] = [new Set(before.map(({ key }) => key)), new Set(now.map(({ key }) => key))];
  now.forEach(({ key }, i) => {
    const old = before[i]?.key ?? key;
    if (old !== key && !keysNow.has(old) && !keysBefore.has(key)) out.set(key, old);
  });
  // One edit renames one job or task. If several keys differ, they are different jobs or tasks.
  return out.size === 1 ? out : new Map();
}
