import type { Doc, Job, Task } from '@/document';
import { type GraphTask, type TaskGraph, toGraph } from '@/graph';

/**
 * Makes the graph of a document while it is edited: the same object as long as an edit changes nothing that is drawn, and
 * the same tasks in it as far as they are the same.
 */
export function newGraphs(): (doc: Doc) => TaskGraph {
  const written = new WeakMap<Job, string>();
  const textOf = (job: Job) => {
    const known = written.get(job) ?? JSON.stringify([job.key, job.title, (job.tasks ?? []).map(drawnOf)]);
    written.set(job, known);
    return known;
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

/** What of a task its card, its edges and what is redundant depend on. */
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

function sharing(graph: TaskGraph, before: TaskGraph): TaskGraph {
  const known = new Map(before.jobs.flatMap((job) => job.tasks.map((task) => [task.key, task] as const)));
  const shared = (task: GraphTask) => {
    const old = known.get(task.key);
    return old && alike(old, task) ? old : task;
  };
  return { ...graph, jobs: graph.jobs.map((job) => ({ ...job, tasks: job.tasks.map(shared) })) };
}

function alike(a: GraphTask, b: GraphTask): boolean {
  return (
    a.title === b.title &&
    a.handler === b.handler &&
    a.waitsForAll === b.waitsForAll &&
    a.needs.length === b.needs.length &&
    a.needs.every((need, i) => need === b.needs[i])
  );
}
