import type { Diff, Doc, Job, Task } from '@/document';
import type { Mark } from '../Sign';

/** One side of a comparison: a revision by its number, or the draft. */
export type Side = number | 'draft';

export interface Pair {
  /** Undefined: nothing came before. */
  from?: number;
  to: Side;
}

/**
 * What an address compares: the draft with what it stands on if it says nothing, or, where there are no changes, the newest
 * revision with the one before. A revision alone is compared with the one before it.
 */
export function pairOf(search: { from?: number; to?: number }, now: { base?: number; changed: boolean; numbers: readonly number[] }): Pair {
  const known = (number?: number) => (number !== undefined && now.numbers.includes(number) ? number : undefined);
  const to = known(search.to) ?? (now.changed || known(search.from) !== undefined ? 'draft' : now.numbers[0] ?? 'draft');
  const from = known(search.from) ?? (to === 'draft' ? now.base : before(to, now.numbers));
  return { from, to };
}

/** The revision before one; `numbers` begin with the newest. */
export function before(number: number, numbers: readonly number[]): number | undefined {
  return numbers[numbers.indexOf(number) + 1];
}

/** What became of each task, by its key. */
export function marksOf(diff: Diff): ReadonlyMap<string, Mark> {
  return new Map(diff.tasks.map((task): [string, Mark] => [
    task.key, task.kind === 'changed' && task.fields.length === 0 && task.movedFrom !== undefined ? 'moved' : task.kind,
  ]));
}

/** The later document with what is gone from it at its old place, so that both can be seen in one drawing. */
export function union(before: Doc, after: Doc, diff: Diff): Doc {
  const goneJobs = new Set(diff.jobs.filter((job) => job.kind === 'removed').map((job) => job.key));
  const goneTasks = new Set(diff.tasks.filter((task) => task.kind === 'removed').map((task) => task.key));
  const names = new Map(diff.jobs.flatMap((job) => (job.renamedFrom === undefined ? [] : [[job.renamedFrom, job.key] as const])));
  const jobs: Job[] = after.jobs.map((job) => ({ ...job, tasks: [...(job.tasks ?? [])] }));
  const taken = new Set(jobs.flatMap((job) => (job.tasks ?? []).map((task) => task.key)));
  before.jobs.forEach((job, j) => {
    const left = (job.tasks ?? []).filter((task) => goneTasks.has(task.key) && !taken.has(task.key));
    if (goneJobs.has(job.key)) {
      const next = before.jobs.slice(j + 1).map((later) => jobs.findIndex((one) => one.key === (names.get(later.key) ?? later.key))).find((at) => at >= 0);
      jobs.splice(next ?? jobs.length, 0, { ...job, tasks: left });
    } else {
      const place = jobs.find((one) => one.key === (names.get(job.key) ?? job.key));
      if (place) place.tasks = withGone(place.tasks ?? [], job.tasks ?? [], left);
    }
  });
  return { ...after, jobs };
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
