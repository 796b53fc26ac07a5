import type { Definition, DefinitionTask } from '@/api/definition';
import { markRedundant, type Temper } from './redundancy';
import type { SceneGraph, SceneTask } from './types';

/** A graph by numbers: tasks in document order, with their lanes and what they are tied to. */
export interface Numbered {
  tasks: readonly SceneTask[];
  laneOf: readonly number[];
  /** The tasks of each lane. */
  lanes: readonly (readonly number[])[];
  /** Needs and dependents of each task by number, redundant ones included, in written order. */
  needs: readonly (readonly number[])[];
  dependents: readonly (readonly number[])[];
  byKey: ReadonlyMap<string, number>;
}

/** The name of a need in a set: no key holds a `>`. */
export const wireKey = (from: string, to: string): string => `${from}>${to}`;

/** The graph of a document. Needs that name no task of an earlier job are left out: the editor refuses them, a drawing need not. */
export function toGraph(definition: Definition): SceneGraph {
  const laneOf = new Map<string, number>();
  const flat: { spec: DefinitionTask; lane: number; needs: string[] }[] = [];
  for (const [lane, job] of definition.jobs.entries()) {
    for (const spec of job.tasks ?? []) {
      const needs = [...new Set(spec.needs)].filter((need) => (laneOf.get(need) ?? lane) < lane);
      flat.push({ spec, lane, needs });
    }
    for (const spec of job.tasks ?? []) laneOf.set(spec.key, lane);
  }
  const number = new Map(flat.map(({ spec }, i) => [spec.key, i]));
  const tempers = flat.map(({ spec, lane, needs }): Temper => ({
    lane,
    needs: needs.map((need) => number.get(need) ?? 0),
    implicit: needs.length === 0,
    rule: spec.rule ?? 'all_success',
    weak: Boolean(spec.allowFailure) || Boolean(spec.disabled) || Boolean(spec.when),
  }));
  const redundant = new Set<string>();
  markRedundant(tempers, (from, to) => redundant.add(wireKey(flat[from]?.spec.key ?? '', flat[to]?.spec.key ?? '')));

  let at = 0;
  let before = 0; // tasks of earlier jobs
  const jobs = definition.jobs.map((job) => {
    const tasks = (job.tasks ?? []).map(({ key, title, handler }): SceneTask => {
      const needs = flat[at++]?.needs ?? [];
      return { key, title, handler, needs, waitsForAll: needs.length === 0 && before > 0 };
    });
    before += tasks.length;
    return { key: job.key, title: job.title, tasks };
  });
  return { jobs, redundant };
}

const numbered = new WeakMap<SceneGraph, Numbered>();

/** The graph by numbers; computed once for each graph. */
export function byNumber(graph: SceneGraph): Numbered {
  const known = numbered.get(graph);
  if (known) return known;
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
