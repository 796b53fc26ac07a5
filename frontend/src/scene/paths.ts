import { byNumber, wireKey } from './graph';
import type { SceneGraph } from './types';

/** What is known of a run, as far as paths look at it. */
export interface PathRun {
  state: string;
  reason?: string;
  startedAt?: string;
  finishedAt?: string;
}

/** What hangs together: keys of tasks, and of wires as `from>to`. */
export interface Trail {
  tasks: ReadonlySet<string>;
  wires: ReadonlySet<string>;
}

/** Everything above and below a task, by written needs. */
export function trailOf(graph: SceneGraph, key: string): Trail {
  const g = byNumber(graph);
  const tasks = new Set<string>();
  const wires = new Set<string>();
  const start = g.byKey.get(key);
  if (start === undefined) return { tasks, wires };
  const name = (task: number) => g.tasks[task]?.key ?? '';
  const walk = (next: readonly (readonly number[])[], wire: (task: number, other: number) => string) => {
    const seen = new Set([start]);
    for (const task of seen) {
      tasks.add(name(task));
      for (const other of next[task] ?? []) {
        wires.add(wire(task, other));
        seen.add(other);
      }
    }
  };
  walk(g.needs, (task, need) => wireKey(name(need), name(task)));
  walk(g.dependents, (task, dependent) => wireKey(name(task), name(dependent)));
  return { tasks, wires };
}

/** A run whose failure comes down to those that need it. */
const hurts = (run: PathRun | undefined): boolean =>
  run?.state === 'failed' ||
  run?.state === 'canceled' ||
  (run?.state === 'skipped' && run.reason === 'upstream_failed');

/** The wires along which failures came down: from what failed to what was skipped because of it. */
export function failureWires(graph: SceneGraph, runOf: (key: string) => PathRun | undefined): string[] {
  const g = byNumber(graph);
  return g.tasks.flatMap((task) => {
    const run = runOf(task.key);
    if (run?.state !== 'skipped' || run.reason !== 'upstream_failed') return [];
    return task.needs.filter((need) => hurts(runOf(need))).map((need) => wireKey(need, task.key));
  });
}

/**
 * The chain of tasks that decided how long the batch took: from the run that ended last, up to the need that ended last,
 * and so on. From first to last; empty if nothing has ended.
 */
export function criticalPath(graph: SceneGraph, runOf: (key: string) => PathRun | undefined): string[] {
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

/** A chain as a trail: a wire that is not drawn, of a task that waits for all, is left out. */
export function chainTrail(chain: readonly string[]): Trail {
  return { tasks: new Set(chain), wires: new Set(chain.slice(1).map((key, i) => wireKey(chain[i] ?? '', key))) };
}
