import type { Definition } from '@/api/definition';
import { redundantNeeds, rulesOf } from './redundancy';

// A schedule as a graph: pure data, without React, DOM or positions.

/** A task with its dependencies. */
export interface GraphTask {
  key: string;
  title?: string;
  handler: string;
  /** The group of executors that the task or its job names. */
  group?: string;
  /** Keys of tasks of earlier jobs, in written order. Needs that name no such task are left out. */
  needs: readonly string[];
  /** It has no needs, and there are tasks in earlier jobs: it waits for all of them. */
  waitsForAll: boolean;
  /** Its failure does not make its job fail. */
  allowFailure?: boolean;
}

/** A job with its tasks. */
export interface GraphJob {
  key: string;
  title?: string;
  tasks: readonly GraphTask[];
}

/** Jobs in their order, each with its tasks. The object changes only if the definition does. */
export interface TaskGraph {
  jobs: readonly GraphJob[];
  /** Needs that a longer path implies, as `edgeKey`: drawings leave them out. */
  redundant: ReadonlySet<string>;
}

/** A graph by numbers: tasks count from 0 in document order. */
export interface NumberedGraph {
  tasks: readonly GraphTask[];
  /** The number of each task's job. */
  laneOf: readonly number[];
  /** The tasks of each job. */
  lanes: readonly (readonly number[])[];
  /** Needs and dependents of each task, redundant ones included, in written order. */
  needs: readonly (readonly number[])[];
  dependents: readonly (readonly number[])[];
  byKey: ReadonlyMap<string, number>;
}

/** The graph of a definition. Needs that name no task of an earlier job are left out; `invalidEdges` has them. */
export function toGraph(definition: Definition): TaskGraph {
  const { nodes, keys } = rulesOf(definition);
  let next = 0;
  let earlier = 0; // tasks of earlier jobs
  const jobs = definition.jobs.map((job) => {
    const tasks = (job.tasks ?? []).map(({ key, title, handler, group, allowFailure }): GraphTask => {
      const needs = (nodes[next++]?.needs ?? []).map((need) => keys[need] ?? '');
      const task = { key, title, handler, needs, waitsForAll: needs.length === 0 && earlier > 0 };
      const from = group ?? job.defaults?.group;
      return { ...task, ...(from && { group: from }), ...(allowFailure && { allowFailure }) };
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
