import type { Doc, Job, Task } from '@/document';
import { type GraphTask, type TaskGraph, toGraph } from '@/graph';

/**
 * Answers the graph of a document while that is edited. It is the same object as long as no edit changes what is
 * drawn, and unchanged tasks are the same objects in the next graph: only changed cards are drawn again.
 */
export function newGraphCache(): (doc: Doc) => TaskGraph {
  const written = new WeakMap<Job, string>();
  const textOf = (job: Job) => {
    const text = written.get(job) ?? JSON.stringify([job.key, job.title, (job.tasks ?? []).map(drawnOf)]);
    written.set(job, text);
    return text;
  };
  let jobs: readonly Job[] | undefined;
  let text = '';
  let graph: TaskGraph = { jobs: [], redundant: new Set() };
  return (doc) => {
    if (jobs === doc.jobs) return graph;
    jobs = doc.jobs;
    const now = doc.jobs.map(textOf).join('\n');
    if (now !== text || graph.jobs.length !== doc.jobs.length) {
      text = now;
      graph = sharing(toGraph(doc), graph);
    }
    return graph;
  };
}

/** The fields of a task on which its card, its edges and their redundancy depend. */
const drawnOf = ({ key, title, handler, needs, rule, allowFailure, disabled, when }: Task) => [
  key,
  title,
  handler,
  needs,
  rule,
  allowFailure,
  disabled,
  when,
];

/** A graph with the task objects of an earlier one where they are equal. */
function sharing(graph: TaskGraph, before: TaskGraph): TaskGraph {
  const tasksBefore = new Map(before.jobs.flatMap((job) => job.tasks.map((task) => [task.key, task] as const)));
  const shared = (task: GraphTask) => {
    const old = tasksBefore.get(task.key);
    return old && alike(old, task) ? old : task;
  };
  return { ...graph, jobs: graph.jobs.map((job) => ({ ...job, tasks: job.tasks.map(shared) })) };
}

/** Whether two tasks of one key are drawn alike. */
function alike(a: GraphTask, b: GraphTask): boolean {
  return (
    a.title === b.title &&
    a.handler === b.handler &&
    a.waitsForAll === b.waitsForAll &&
    a.needs.length === b.needs.length &&
    a.needs.every((need, i) => need === b.needs[i])
  );
}
