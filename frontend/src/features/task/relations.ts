import { effectiveTask } from '@/api/defaults';
import type { Definition, DefinitionTask } from '@/api/definition';

/** How a task depends on the other tasks of its schedule. Keys are in the order of the definition. */
export interface Relations {
  /** The task, with what it takes from its job. */
  task?: DefinitionTask;
  /** The tasks that it waits for: its needs, or else every task of every earlier job. */
  needs: string[];
  /** Whether the definition names no needs for it. */
  implicit: boolean;
  /** The tasks that wait for it directly. */
  dependants: string[];
  /** The tasks that wait for it directly or indirectly. */
  downstream: string[];
}

/** Returns the relations of a task of a definition. */
export function relationsOf(definition: Definition, key: string): Relations {
  const jobs = definition.jobs.map((job) => (job.tasks ?? []).map((task) => effectiveTask(job, task)));
  const all = jobs.flat();
  const needs = new Map<string, string[]>();
  jobs.forEach((tasks, i) => {
    const earlier = jobs
      .slice(0, i)
      .flat()
      .map((t) => t.key);
    for (const t of tasks) needs.set(t.key, t.needs?.length ? t.needs : earlier);
  });
  const task = all.find((t) => t.key === key);
  const reached = new Set([key]);
  const downstream: string[] = [];
  for (const t of all) {
    // Needs are tasks of earlier jobs, so one pass in order finds all of them.
    if (t.key === key || !needs.get(t.key)?.some((n) => reached.has(n))) continue;
    reached.add(t.key);
    downstream.push(t.key);
  }
  return {
    task,
    needs: needs.get(key) ?? [],
    implicit: !task?.needs?.length,
    dependants: all.filter((t) => needs.get(t.key)?.includes(key)).map((t) => t.key),
    downstream,
  };
}
