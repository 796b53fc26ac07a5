import type { Definition, DefinitionTask } from '@/api/definition';

/** What a task has to do with the others of its schedule. Keys, in the order of the definition. */
export interface Relations {
  task?: DefinitionTask;
  /** What it waits for. Without needs of its own that is every task of every earlier job. */
  needs: string[];
  /** It names no needs. */
  implicit: boolean;
  /** What waits for it. */
  dependants: string[];
  /** What waits for it, and for what waits for it, and so on. */
  downstream: string[];
}

/** Looks a task up in a definition. */
export function relationsOf(definition: Definition, key: string): Relations {
  const jobs = definition.jobs.map((job) => job.tasks ?? []);
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
    // needs are of earlier jobs only: one pass in order reaches all
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
