import type { NumberedGraph } from '@/graph';

const MAX_PASSES = 6;

/**
 * The order of the tasks in each lane: the document's order, unless barycentre sweeps find one with fewer crossings.
 * `edges` are the drawn dependencies, as [from, to]. Tasks with equal means keep their order.
 */
export function orderLanes(g: NumberedGraph, edges: readonly (readonly [number, number])[]): number[][] {
  const up: number[][] = g.tasks.map(() => []);
  const down: number[][] = g.tasks.map(() => []);
  for (const [from, to] of edges) {
    up[to]?.push(from);
    down[from]?.push(to);
  }
  const lanes = g.lanes.map((lane) => lane.slice());
  const position: number[] = [];
  lanes.forEach((lane) => {
    notePositions(lane, position);
  });
  let best = lanes.map((lane) => lane.slice());
  let least = crossings(g, edges, position);
  for (let pass = 0; pass < MAX_PASSES && least > 0; pass++) {
    let moved = false;
    for (const lane of lanes) moved = sweep(lane, up, position) || moved;
    for (const lane of lanes.slice().reverse()) moved = sweep(lane, down, position) || moved;
    if (!moved) break;
    const now = crossings(g, edges, position);
    if (now < least) {
      least = now;
      best = lanes.map((lane) => lane.slice());
    }
  }
  return best;
}

/**
 * Sorts a lane by the mean position of each task's neighbours. A task without neighbours is sorted by its own position.
 * Returns whether the order changed.
 */
function sweep(lane: number[], neighbours: readonly (readonly number[])[], position: number[]): boolean {
  const wanted = new Map<number, number>();
  for (const task of lane) wanted.set(task, mean(neighbours[task] ?? [], position) ?? position[task] ?? 0);
  const before = lane.slice();
  lane.sort((a, b) => (wanted.get(a) ?? 0) - (wanted.get(b) ?? 0));
  notePositions(lane, position);
  return lane.some((task, i) => task !== before[i]);
}

/** Stores the positions of a lane's tasks, counted from its middle: lanes of different lengths are comparable. */
function notePositions(lane: readonly number[], position: number[]): void {
  lane.forEach((task, i) => {
    position[task] = i - (lane.length - 1) / 2;
  });
}

function mean(tasks: readonly number[], position: readonly number[]): number | undefined {
  if (tasks.length === 0) return undefined;
  return tasks.reduce((sum, task) => sum + (position[task] ?? 0), 0) / tasks.length;
}

/** How often edges between the same two lanes cross, over all pairs of lanes. */
function crossings(
  g: NumberedGraph,
  edges: readonly (readonly [number, number])[],
  position: readonly number[],
): number {
  const groups = new Map<number, (readonly [number, number])[]>();
  for (const [from, to] of edges) {
    const pair = (g.laneOf[from] ?? 0) * g.lanes.length + (g.laneOf[to] ?? 0);
    const ends = [position[from] ?? 0, position[to] ?? 0] as const;
    const group = groups.get(pair);
    if (group) group.push(ends);
    else groups.set(pair, [ends]);
  }
  let sum = 0;
  for (const group of groups.values()) {
    group.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    sum += inversions(group.map((ends) => ends[1]));
  }
  return sum;
}

/** The number of pairs in the wrong order, by merge sort. It sorts the list. */
function inversions(list: number[]): number {
  if (list.length < 2) return 0;
  const half = list.length >> 1;
  const [a, b] = [list.slice(0, half), list.slice(half)];
  let sum = inversions(a) + inversions(b);
  for (let i = 0, j = 0, at = 0; at < list.length; at++) {
    const x = a[i];
    const y = b[j];
    if (y === undefined || (x !== undefined && x <= y)) {
      list[at] = x ?? 0;
      i++;
    } else {
      list[at] = y;
      sum += a.length - i;
      j++;
    }
  }
  return sum;
}
