import { byNumber, type TaskGraph } from './graph';
import { edgeKey } from './redundancy';

/** The fields of a run that paths depend on. */
export interface PathRun {
  state: string;
  reason?: string;
  startedAt?: string;
  finishedAt?: string;
}

/** A part of a graph that is shown as one: keys of tasks, and of dependencies as `edgeKey`. */
export interface Trail {
  tasks: ReadonlySet<string>;
  edges: ReadonlySet<string>;
}

/** A task with everything upstream and downstream of it, by written needs. */
export function trailOf(graph: TaskGraph, key: string): Trail {
  const g = byNumber(graph);
  const tasks = new Set<string>();
  const edges = new Set<string>();
  const start = g.byKey.get(key);
  if (start === undefined) return { tasks, edges };
  const name = (task: number) => g.tasks[task]?.key ?? '';
  const walk = (next: readonly (readonly number[])[], edge: (task: number, other: number) => string) => {
    const seen = new Set([start]);
    for (const task of seen) {
      tasks.add(name(task));
      for (const other of next[task] ?? []) {
        edges.add(edge(task, other));
        seen.add(other);
      }
    }
  };
  walk(g.needs, (task, need) => edgeKey(name(need), name(task)));
  walk(g.dependents, (task, dependent) => edgeKey(name(task), name(dependent)));
  return { tasks, edges };
}

/** Whether a run makes the runs that need it skip. */
const failsDownstream = (run: PathRun | undefined): boolean =>
  run?.state === 'failed' ||
  run?.state === 'canceled' ||
  (run?.state === 'skipped' && run.reason === 'upstream_failed');

/** The edges along which failures spread: from a run that failed to one that was skipped because of it. */
export function failureEdges(graph: TaskGraph, runOf: (key: string) => PathRun | undefined): string[] {
  const g = byNumber(graph);
  return g.tasks.flatMap((task) => {
    const run = runOf(task.key);
    if (run?.state !== 'skipped' || run.reason !== 'upstream_failed') return [];
    return task.needs.filter((need) => failsDownstream(runOf(need))).map((need) => edgeKey(need, task.key));
  });
}

/**
 * The chain of tasks that decided how long the batch took, from first to last. It is followed up from the run that
 * ended last, each time to the need that ended last. Empty if nothing has ended.
 */
export function criticalPath(graph: TaskGraph, runOf: (key: string) => PathRun | undefined): string[] {
  const g = byNumber(graph);
  const end = g.tasks.map((task) => {
    const run = runOf(task.key);
    return run?.startedAt && run.finishedAt ? Date.parse(run.finishedAt) : NaN;
  });
  const latest = (tasks: Iterable<number>): number | undefined => {
    let best: number | undefined;
    for (const task of tasks)
      if ((end[task] ?? NaN) > (best === undefined ? -Infinity : (end[best] ?? NaN))) best = task;
    return best;
  };
  const chain: string[] = [];
  for (let at = latest(g.tasks.keys()); at !== undefined;) {
    const task = g.tasks[at];
    if (!task) break;
    chain.push(task.key);
    const first = g.lanes[g.laneOf[at] ?? 0]?.[0] ?? 0;
    at = latest(task.waitsForAll ? Array(first).keys() : (g.needs[at] ?? []));
  }
  return chain.reverse();
}

/** A chain as a trail. Tasks that wait for all have no edge in the drawing: such keys match nothing. */
export function chainTrail(chain: readonly string[]): Trail {
  return { tasks: new Set(chain), edges: new Set(chain.slice(1).map((key, i) => edgeKey(chain[i] ?? '', key))) };
}
