import type { Definition, DefinitionJob, DefinitionTask } from './definition';

/** The fields for which a job may have defaults. */
export const DEFAULT_FIELDS = ['group', 'retry', 'timeout', 'killGrace', 'priority', 'onLost'] as const;
/** A field for which a job may have a default. */
type DefaultField = (typeof DEFAULT_FIELDS)[number];

/** What a job gives to its tasks that leave a field out. */
export type Defaults = NonNullable<DefinitionJob['defaults']>;

/** A task with the defaults of its job. A field that the task writes is its own. */
export function withDefaults(defaults: Defaults | undefined, task: DefinitionTask): DefinitionTask {
  if (!defaults) return task;
  const merged: DefinitionTask = { ...task };
  for (const field of DEFAULT_FIELDS) inherit(merged, defaults, field);
  return merged;
}

function inherit<F extends DefaultField>(task: DefinitionTask, defaults: Defaults, field: F): void {
  if (task[field] === undefined && defaults[field] !== undefined) task[field] = defaults[field] as DefinitionTask[F];
}

/** A task with everything that it takes from its job, as the server compiles it. */
export function effectiveTask(job: DefinitionJob, task: DefinitionTask): DefinitionTask {
  const merged = withDefaults(job.defaults, task);
  return job.disabled && !merged.disabled ? { ...merged, disabled: true } : merged;
}

/** All tasks of a definition with what they take from their jobs, in the order of the document. */
export const effectiveTasks = (definition: Definition | undefined): DefinitionTask[] =>
  (definition?.jobs ?? []).flatMap((job) => (job.tasks ?? []).map((task) => effectiveTask(job, task)));
