import { type Diff, type Doc, type Job, type Task, tasksOf } from '@/document';
import { edgeKey, type TaskGraph, toGraph } from '@/graph';
import type { Mark } from '../ChangeList';

/** One side of a comparison: a revision by its number, or the draft. */
export type Side = number | 'draft';

/** The two sides of a comparison: `to` is shown with its changes against `from`. */
export interface Pair {
  /** Undefined: nothing came before. */
  from?: number;
  to: Side;
}

/**
 * The two sides that an address compares. Without any numbers, the draft is compared with its base; if the draft has no
 * changes, the newest revision with the one before. A revision alone is compared with the one before it.
 */
export function pairOf(
  search: { from?: number; to?: number },
  now: { base?: number; changed: boolean; numbers: readonly number[] },
): Pair {
  const known = (number?: number) => (number !== undefined && now.numbers.includes(number) ? number : undefined);
  const to =
    known(search.to) ?? (now.changed || known(search.from) !== undefined ? 'draft' : (now.numbers[0] ?? 'draft'));
  const from = known(search.from) ?? (to === 'draft' ? now.base : before(to, now.numbers));
  return { from, to };
}

/** The revision before one; `numbers` begin with the newest. */
export function before(number: number, numbers: readonly number[]): number | undefined {
  return numbers[numbers.indexOf(number) + 1];
}

/** What became of each task, by its key. */
export function marksOf(diff: Diff): ReadonlyMap<string, Mark> {
  return new Map(
    diff.tasks.map((task): [string, Mark] => [
      task.key,
      task.kind === 'changed' && task.fields.length === 0 && task.movedFrom !== undefined ? 'moved' : task.kind,
    ]),
  );
}

/** The later document with what is gone from it at its old place, so that both can be seen in one drawing. */
export function union(before: Doc, after: Doc, diff: Diff): Doc {
  const goneJobs = new Set(diff.jobs.filter((job) => job.kind === 'removed').map((job) => job.key));
  const goneTasks = new Set(diff.tasks.filter((task) => task.kind === 'removed').map((task) => task.key));
  const names = new Map(
    diff.jobs.flatMap((job) => (job.renamedFrom === undefined ? [] : [[job.renamedFrom, job.key] as const])),
  );
  const jobs: Job[] = after.jobs.map((job) => ({ ...job, tasks: [...(job.tasks ?? [])] }));
  const taken = new Set(jobs.flatMap((job) => (job.tasks ?? []).map((task) => task.key)));
  before.jobs.forEach((job, j) => {
    const left = (job.tasks ?? []).filter((task) => goneTasks.has(task.key) && !taken.has(task.key));
    if (goneJobs.has(job.key)) {
      const next = before.jobs
        .slice(j + 1)
        .map((later) => jobs.findIndex((one) => one.key === (names.get(later.key) ?? later.key)))
        .find((at) => at >= 0);
      jobs.splice(next ?? jobs.length, 0, { ...job, tasks: left });
    } else {
      const place = jobs.find((one) => one.key === (names.get(job.key) ?? job.key));
      if (place) place.tasks = withGone(place.tasks ?? [], job.tasks ?? [], left);
    }
  });
  return { ...after, jobs };
}

/** What is drawn of two documents. */
export interface Drawing {
  graph: TaskGraph;
  /** Dependencies that are not there any more, as `from>to`: they are in the graph as well. */
  gone: ReadonlySet<string>;
  /** Of each task that is still there, what it does not wait for any more. */
  freed: ReadonlyMap<string, readonly string[]>;
}

/**
 * The graph of both documents. Removed dependencies neither make a present one redundant, nor are they left out as
 * redundant.
 */
export function drawingOf(before: Doc, after: Doc, diff: Diff): Drawing {
  const names = new Map(
    diff.tasks.flatMap((task) => (task.renamedFrom === undefined ? [] : [[task.renamedFrom, task.key] as const])),
  );
  const now = (key: string) => names.get(key) ?? key;
  const removed = new Set(diff.tasks.filter((task) => task.kind === 'removed').map((task) => task.key));
  const written = new Map(tasksOf(after).map((task) => [task.key, task.needs ?? []]));
  const was = new Map(tasksOf(before).map((task) => [now(task.key), (task.needs ?? []).map(now)]));
  const both = union(before, after, diff);
  const graph = toGraph({
    ...both,
    jobs: both.jobs.map((job) => ({
      ...job,
      tasks: job.tasks?.map((task) => (removed.has(task.key) ? { ...task, needs: was.get(task.key) } : task)),
    })),
  });
  const laneOf = new Map(graph.jobs.flatMap((job, lane) => job.tasks.map((task) => [task.key, lane] as const)));
  const gone = new Set<string>();
  const freed = new Map<string, readonly string[]>();
  const jobs = graph.jobs.map((job, lane) => ({
    ...job,
    tasks: job.tasks.map((task) => {
      const { key, needs } = task;
      // The graph holds only downward dependencies. If lanes were moved, a removed dependency may run upwards: only the
      // list shows it.
      const left = removed.has(key)
        ? needs
        : (was.get(key) ?? []).filter((need) => !written.get(key)?.includes(need) && (laneOf.get(need) ?? lane) < lane);
      for (const need of left) gone.add(edgeKey(need, key));
      if (removed.has(key) || left.length === 0) return task;
      freed.set(key, left);
      return { ...task, needs: [...needs, ...left] };
    }),
  }));
  return { graph: { ...graph, jobs }, gone, freed };
}

/** The tasks of a job with those that are gone, each after the one that it stood behind. */
function withGone(now: readonly Task[], was: readonly Task[], gone: readonly Task[]): Task[] {
  const out = [...now];
  for (const task of gone) {
    const behind = was.slice(0, was.indexOf(task)).findLast((one) => out.some((other) => other.key === one.key));
    out.splice(behind ? out.findIndex((one) => one.key === behind.key) + 1 : 0, 0, task);
  }
  return out;
}
