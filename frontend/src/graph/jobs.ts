import { byNumber, type TaskGraph } from './graph';
import type { PathRun } from './paths';

/** What leads from one job to a later one: jobs are given by their indexes. */
export interface JobBundle {
  from: number;
  to: number;
  /** The number of dependencies, or of tasks. */
  count: number;
}

/** The dependencies between jobs: one bundle for each pair, with the number of written needs. */
export function jobBundles(graph: TaskGraph): JobBundle[] {
  const g = byNumber(graph);
  const counted = newCounter();
  g.needs.forEach((needs, task) => {
    for (const need of needs) counted.add(g.laneOf[need] ?? 0, g.laneOf[task] ?? 0);
  });
  return counted.bundles();
}

/** The fields of a run from which `skippedBundles` finds why it was skipped. */
export type SkippedRun = PathRun & { cause?: string };

/** The tasks that were skipped because of a failure: from the job of the task that failed to the job of the skipped. */
export function skippedBundles(graph: TaskGraph, runOf: (key: string) => SkippedRun | undefined): JobBundle[] {
  const g = byNumber(graph);
  const counted = newCounter();
  // For each task, the failed or canceled one that decides its fate. Needs have smaller numbers, so theirs are known.
  const roots: (number | undefined)[] = [];
  g.tasks.forEach((task, number) => {
    const run = runOf(task.key);
    if (run?.state === 'failed' || run?.state === 'canceled') roots[number] = number;
    if (run?.state !== 'skipped' || run.reason !== 'upstream_failed') return;
    const cause = run.cause === undefined ? undefined : g.byKey.get(run.cause);
    const candidates = cause === undefined ? (g.needs[number] ?? []) : [cause, ...(g.needs[number] ?? [])];
    const root = candidates.map((need) => roots[need]).find((found) => found !== undefined);
    roots[number] = root;
    if (root !== undefined) counted.add(g.laneOf[root] ?? 0, g.laneOf[number] ?? 0);
  });
  return counted.bundles();
}

/** Counts pairs of jobs. Bundles are sorted by their first job, then by their second one. */
function newCounter() {
  const counts = new Map<number, Map<number, number>>();
  return {
    add: (from: number, to: number) => {
      const row = counts.get(from) ?? new Map<number, number>();
      counts.set(from, row.set(to, (row.get(to) ?? 0) + 1));
    },
    bundles: (): JobBundle[] =>
      [...counts]
        .flatMap(([from, row]) => Array.from(row, ([to, count]) => ({ from, to, count })))
        .sort((a, b) => a.from - b.from || a.to - b.to),
  };
}

/** For each job, the number of its tasks by state. */
export function countsByJob(graph: TaskGraph, stateOf: (key: string) => string): Record<string, number>[] {
  return graph.jobs.map((job) => {
    const counts: Record<string, number> = {};
    for (const { key } of job.tasks) {
      const state = stateOf(key);
      counts[state] = (counts[state] ?? 0) + 1;
    }
    return counts;
  });
}
