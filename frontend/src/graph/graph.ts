import type { Definition } from '@/api/definition';
import { redundantNeeds, rulesOf } from './redundancy';
import { type GraphTask, type NumberedGraph, type TaskGraph } from './types';

/** The graph of a definition. Needs that name no task of an earlier job are left out; `invalidEdges` has them. */
export function toGraph(definition: Definition): TaskGraph {
  const { nodes, keys } = rulesOf(definition);
  let next = 0;
  let earlier = 0; // tasks of earlier jobs
  const jobs = definition.jobs.map((job) => {
    const tasks = (job.tasks ?? []).map(({ key, title, handler }): GraphTask => {
      const needs = (nodes[next++]?.needs ?? []).map((need) => keys[need] ?? '');
      return { key, title, handler, needs, waitsForAll: needs.length === 0 && earlier > 0 };
    });
    earlier += tasks.length;
    return { key: job.key, title: job.title, tasks };
  });
  return { jobs, redundant: redundantNeeds(definition) };
}

const numbered = new WeakMap<TaskGraph, NumberedGraph>();

/** The graph by numbers; computed once for each graph. */
export function byNumber(graph: TaskGraph): NumberedGraph {
  const cached = numbered.get(graph);
  if (cached) return cached;
  const tasks = graph.jobs.flatMap((job) => job.tasks);
  const byKey = new Map(tasks.map((task, i) => [task.key, i]));
  const needs = tasks.map((task) => task.needs.flatMap((key) => byKey.get(key) ?? []));
  const dependents: number[][] = tasks.map(() => []);
  needs.forEach((all, task) => {
    all.forEach((need) => dependents[need]?.push(task));
  });
  let next = 0;
  const lanes = graph.jobs.map((job) => job.tasks.map(() => next++));
  const laneOf = lanes.flatMap((all, lane) => all.map(() => lane));
  const made = { tasks, laneOf, lanes, needs, dependents, byKey };
  numbered.set(graph, made);
  return made;
}

/** Needs that are written but impossible, since they name a task of the same job or a later one. */
export function invalidEdges(definition: Definition): readonly (readonly [from: string, to: string])[] {
  const laneOf = new Map(
    definition.jobs.flatMap((job, lane) => (job.tasks ?? []).map((task) => [task.key, lane] as const)),
  );
  return definition.jobs.flatMap((job, lane) =>
    (job.tasks ?? []).flatMap((task) =>
      (task.needs ?? []).flatMap((need): [string, string][] =>
        need !== task.key && (laneOf.get(need) ?? -1) >= lane ? [[need, task.key]] : [],
      ),
    ),
  );
}
