import { MAX } from './faults';
import { headOf, jobHeadOf, jobOf, type Op, positionsOf, taskOf, tasksOf } from './ops';
import { headWithRenamedParam, headWithRenamedTasks, withRenamedParam, withRenamedTasks } from './refs';
import type { Command, Label } from './store';
import { type Doc, foldCase, type Head, type Job, type JobHead, type Task } from './types';

// Each function makes a command, or returns undefined where there is nothing to do. After each command the keys are
// still unique (`hasUniqueKeys`); `check` finds all other faults.

/** Adds a job at a position, or at the end if the position is beyond it. */
export function addJob(doc: Doc, index: number, fields: Partial<JobHead> = {}): Command {
  const key = freeKey(
    doc.jobs.map((job) => job.key),
    fields.key ?? 'job',
  );
  return {
    label: { kind: 'addJob', params: { job: key } },
    ops: [{ op: 'job.insert', index: clampIndex(index, doc.jobs.length), job: { ...fields, key, tasks: [] } }],
    select: { tasks: [], job: key },
  };
}

/** Removes a job with its tasks, and the needs that name these tasks. */
export function removeJob(doc: Doc, key: string): Command | undefined {
  const job = jobOf(doc, key);
  if (!job) return undefined;
  const removedKeys = new Set(job.tasks?.map((task) => task.key));
  return {
    label:
      removedKeys.size === 0
        ? { kind: 'removeJob', params: { job: key } }
        : { kind: 'removeJobWith', params: { job: key, count: removedKeys.size } },
    ops: [...removeNeeds(doc, removedKeys), { op: 'job.remove', key }],
    select: { tasks: [] },
  };
}

/** Adds a copy of a job after it. The copied tasks have free keys and the same needs as the originals. */
export function duplicateJob(doc: Doc, key: string): Command | undefined {
  const index = doc.jobs.findIndex((job) => job.key === key);
  const job = doc.jobs[index];
  if (!job) return undefined;
  const name = freeKey(
    doc.jobs.map((other) => other.key),
    key,
  );
  const names = freeKeys(
    doc,
    (job.tasks ?? []).map((task) => task.key),
  );
  const copy: Job = {
    ...job,
    key: name,
    tasks: (job.tasks ?? []).map((task) => ({ ...task, key: names.get(task.key) ?? task.key })),
  };
  return {
    label: { kind: 'duplicateJob', params: { job: key } },
    ops: [{ op: 'job.insert', index: index + 1, job: copy }],
    select: { tasks: [], job: name },
  };
}

/** Adds a task to a job, at a position or at the end. A number is appended to its key if the key is in use. */
export function addTask(
  doc: Doc,
  job: string,
  task: Partial<Task> & { handler: string },
  index = Infinity,
): Command | undefined {
  const into = jobOf(doc, job);
  if (!into) return undefined;
  const key = freeKey([...positionsOf(doc).keys()], task.key ?? task.handler);
  return {
    label: { kind: 'addTask', params: { task: key } },
    ops: [{ op: 'task.insert', job, index: clampIndex(index, into.tasks?.length ?? 0), task: { ...task, key } }],
    select: { tasks: [key] },
  };
}

/**
 * Adds a task that needs `source`, for a dependency that is drawn to an empty place. It goes into the given job if
 * that is a later one, otherwise into the job after that of `source`, which is added if there is none.
 */
export function addTaskAfter(
  doc: Doc,
  source: string,
  task: Partial<Task> & { handler: string },
  job?: string,
): Command | undefined {
  const sourcePosition = positionsOf(doc).get(source);
  if (!sourcePosition) return undefined;
  const jobIndex = doc.jobs.findIndex((other) => other.key === job);
  const into = doc.jobs[jobIndex > sourcePosition.job ? jobIndex : sourcePosition.job + 1];
  const key = freeKey([...positionsOf(doc).keys()], task.key ?? task.handler);
  const newTask: Task = { ...task, key, needs: [...new Set([source, ...(task.needs ?? [])])] };
  const ops: Op[] = into
    ? [{ op: 'task.insert', job: into.key, index: into.tasks?.length ?? 0, task: newTask }]
    : [
        {
          op: 'job.insert',
          index: sourcePosition.job + 1,
          job: {
            key: freeKey(
              doc.jobs.map((other) => other.key),
              'job',
            ),
            tasks: [newTask],
          },
        },
      ];
  return { label: { kind: 'addTaskAfter', params: { task: key, from: source } }, ops, select: { tasks: [key] } };
}

/** Sets fields of the schedule itself; undefined removes one. */
export function editHead(doc: Doc, fields: Partial<Head>, gesture?: string): Command | undefined {
  const value = withFields(headOf(doc), fields);
  return value && { label: { kind: 'editSchedule' }, ops: [{ op: 'head', value }], gesture };
}

/** Sets fields of a job; a new key renames it. Undefined if the key is empty or in use. */
export function editJob(doc: Doc, key: string, fields: Partial<JobHead>, gesture?: string): Command | undefined {
  const job = jobOf(doc, key);
  const value = job && withFields(jobHeadOf(job), fields);
  if (!value) return undefined;
  if (value.key === key)
    return { label: { kind: 'editJob', params: { job: key } }, ops: [{ op: 'job.put', key, value }], gesture };
  if (!value.key || doc.jobs.some((other) => other.key !== key && foldCase(other.key) === foldCase(value.key)))
    return undefined;
  return {
    label: { kind: 'renameJob', params: { from: key, job: value.key } },
    ops: [{ op: 'job.put', key, value }],
    gesture,
    select: { tasks: [], job: value.key },
  };
}

/** Gives a job another key. Undefined if the key is empty or in use. */
export const renameJob = (doc: Doc, from: string, to: string): Command | undefined => editJob(doc, from, { key: to });

/** New values of fields of a task; undefined removes one. Keys are changed by `renameTask`. */
export type TaskFields = Partial<Omit<Task, 'key'>>;

/** Sets fields of tasks. A function gives each task values that depend on what it has. */
export function editTasks(
  doc: Doc,
  keys: readonly string[],
  fields: TaskFields | ((task: Task) => TaskFields),
  gesture?: string,
): Command | undefined {
  const fieldsOf = typeof fields === 'function' ? fields : () => fields;
  return putTasks(doc, keys, (task) => withFields<Task>(task, fieldsOf(task)), gesture);
}

/** Sets some of the params of tasks, and leaves the others; undefined removes one. */
export function editParams(
  doc: Doc,
  keys: readonly string[],
  params: Record<string, unknown>,
  gesture?: string,
): Command | undefined {
  return putTasks(
    doc,
    keys,
    (task) => {
      const next = withFields<Record<string, unknown>>(task.params ?? {}, params);
      return next && withFields<Task>(task, { params: Object.keys(next).length > 0 ? next : undefined });
    },
    gesture,
  );
}

/** Disables tasks, or enables them again. */
export function setDisabled(doc: Doc, keys: readonly string[], disabled: boolean): Command | undefined {
  const command = editTasks(doc, keys, { disabled: disabled || undefined });
  if (!command) return undefined;
  const [firstOp] = command.ops;
  return {
    ...command,
    label:
      command.ops.length === 1 && firstOp?.op === 'task.put'
        ? { kind: disabled ? 'disableTask' : 'enableTask', params: { task: firstOp.key } }
        : { kind: disabled ? 'disableTasks' : 'enableTasks', params: { count: command.ops.length } },
  };
}

/** Disables a job with all its tasks, or enables it again. What the tasks say themselves stays. */
export function setJobDisabled(doc: Doc, key: string, disabled: boolean): Command | undefined {
  const command = editJob(doc, key, { disabled: disabled || undefined });
  return command && { ...command, label: { kind: disabled ? 'disableJob' : 'enableJob', params: { job: key } } };
}

/**
 * Gives a task another key, also in the needs and expressions of other tasks. Undefined if the key is empty or in use.
 */
export function renameTask(doc: Doc, from: string, to: string): Command | undefined {
  const task = taskOf(doc, from);
  if (
    !task ||
    from === to ||
    to === '' ||
    tasksOf(doc).some((other) => other !== task && foldCase(other.key) === foldCase(to))
  )
    return undefined;
  const names = new Map([[from, to]]);
  const ops: Op[] = [{ op: 'task.put', key: from, value: { ...withRenamedTasks(task, names), key: to } }];
  for (const other of tasksOf(doc)) {
    const next = other === task ? other : withRenamedTasks(other, names);
    if (next !== other) ops.push({ op: 'task.put', key: other.key, value: next });
  }
  const before = headOf(doc);
  const head = headWithRenamedTasks(before, names);
  if (head !== before) ops.push({ op: 'head', value: head });
  ops.push(...putJobHeads(doc, (jobHead) => headWithRenamedTasks(jobHead, names)));
  return { label: { kind: 'renameTask', params: { from, task: to } }, ops, select: { tasks: [to] } };
}

/** Removes tasks, and the needs of other tasks that name them. */
export function removeTasks(doc: Doc, keys: readonly string[]): Command | undefined {
  const removedKeys = new Set(keys.filter((key) => positionsOf(doc).has(key)));
  if (removedKeys.size === 0) return undefined;
  return {
    label:
      removedKeys.size === 1
        ? { kind: 'removeTask', params: { task: [...removedKeys].join() } }
        : { kind: 'removeTasks', params: { count: removedKeys.size } },
    ops: [...removeNeeds(doc, removedKeys), ...[...removedKeys].map((key): Op => ({ op: 'task.remove', key }))],
    select: { tasks: [] },
  };
}

/** Replaces the whole document, whose keys must be unique: by a typed text, a merge or an older revision. */
export const replaceAll = (value: Doc, kind: 'editText' | 'merge' | 'restore' | 'discard'): Command => ({
  label: { kind },
  ops: [{ op: 'all', value }],
});

/** The first of key, key2, key3, … that is free, ignoring case. */
export const freeKey = (usedKeys: readonly string[], wanted: string): string =>
  freeKeyIn(new Set(usedKeys.map(foldCase)), wanted);

/** Free keys for copies of tasks, by the keys of the originals. */
export function freeKeys(doc: Doc, wanted: readonly string[]): Map<string, string> {
  const used = new Set([...positionsOf(doc).keys()].map(foldCase));
  const names = new Map<string, string>();
  for (const key of wanted) {
    const free = freeKeyIn(used, key);
    used.add(foldCase(free));
    names.set(key, free);
  }
  return names;
}

/**
 * A free key that is like a wanted one: a copy of load2 is load3, not load22. A key that its number makes too long is
 * cut.
 */
function freeKeyIn(used: ReadonlySet<string>, wanted: string): string {
  if (!used.has(foldCase(wanted))) return wanted;
  const [, stem = wanted, digits] = /^(.*?)(\d{0,6})$/.exec(wanted) ?? [];
  for (let n = Math.max(2, Number(digits ?? 0) + 1); ; n++) {
    const key = `${stem.slice(0, MAX.key - String(n).length)}${n}`;
    if (!used.has(foldCase(key))) return key;
  }
}

/** A copy of an object with some fields changed; undefined if no field changes. */
function withFields<T extends object>(value: T, fields: Partial<T>): T | undefined {
  const next: T = { ...value };
  let changed = false;
  for (const name of Object.keys(fields) as (keyof T)[]) {
    if (JSON.stringify(value[name]) === JSON.stringify(fields[name])) continue;
    changed = true;
    if (fields[name] === undefined) Reflect.deleteProperty(next, name);
    else next[name] = fields[name] as T[keyof T];
  }
  return changed ? next : undefined;
}

/** A copy of a task with other needs. Without needs it has no such field. */
export function withNeeds(task: Task, needs: readonly string[]): Task {
  if (needs.length > 0) return { ...task, needs: [...needs] };
  const rest = { ...task };
  delete rest.needs;
  return rest;
}

/** Operations that remove the needs that name certain tasks, from all other tasks. */
function removeNeeds(doc: Doc, removedKeys: ReadonlySet<string>): Op[] {
  return tasksOf(doc).flatMap((task): Op[] => {
    if (removedKeys.has(task.key) || !task.needs?.some((need) => removedKeys.has(need))) return [];
    return [
      {
        op: 'task.put',
        key: task.key,
        value: withNeeds(
          task,
          task.needs.filter((need) => !removedKeys.has(need)),
        ),
      },
    ];
  });
}

function putTasks(
  doc: Doc,
  keys: readonly string[],
  change: (task: Task) => Task | undefined,
  gesture?: string,
): Command | undefined {
  const ops = [...new Set(keys)].flatMap((key): Op[] => {
    const task = taskOf(doc, key);
    const value = task && change(task);
    return value ? [{ op: 'task.put', key, value }] : [];
  });
  const [firstOp] = ops;
  const label: Label =
    ops.length === 1 && firstOp?.op === 'task.put'
      ? { kind: 'editTask', params: { task: firstOp.key } }
      : { kind: 'editTasks', params: { count: ops.length } };
  return ops.length > 0 ? { label, ops, gesture } : undefined;
}

/** Operations that change the fields of jobs; `change` returns the same object where nothing changes. */
const putJobHeads = (doc: Doc, change: (head: JobHead) => JobHead): Op[] =>
  doc.jobs.flatMap((job): Op[] => {
    const before = jobHeadOf(job);
    const value = change(before);
    return value === before ? [] : [{ op: 'job.put', key: job.key, value }];
  });

const clampIndex = (index: number, length: number) => Math.max(0, Math.min(index, length));

/**
 * Renames a param of the schedule, also in the expressions of tasks. The order of the params stays. Scripts and
 * statements that read the param by other means (`$region`, `:region`) stay too. Undefined if the name is empty or in
 * use.
 */
export function renameParam(doc: Doc, from: string, to: string): Command | undefined {
  const params = doc.params ?? {};
  if (from === to || to === '' || !Object.hasOwn(params, from) || Object.hasOwn(params, to)) return undefined;
  const renamed = Object.fromEntries(Object.entries(params).map(([name, value]) => [name === from ? to : name, value]));
  const head: Head = { ...headOf(doc), params: renamed };
  const ops: Op[] = [
    { op: 'head', value: headWithRenamedParam(head, from, to) },
    ...putJobHeads(doc, (jobHead) => headWithRenamedParam(jobHead, from, to)),
  ];
  for (const task of tasksOf(doc)) {
    const next = withRenamedParam(task, from, to);
    if (next !== task) ops.push({ op: 'task.put', key: task.key, value: next });
  }
  return { label: { kind: 'editSchedule' }, ops };
}
