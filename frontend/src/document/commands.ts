import { MAX } from './faults';
import { headOf, jobHeadOf, jobOf, type Op, placesOf, taskOf, tasksOf } from './ops';
import { paramRenamedIn, renamedIn } from './refs';
import type { Command, Label } from './store';
import { type Doc, fold, type Head, type Job, type JobHead, type Task } from './types';

// Each makes a command, or undefined where there is nothing to do. The document stays `sound` after each; `check`
// finds what else is wrong with it.

/** A new job before the one at a position; at the end if there is none. */
export function addJob(doc: Doc, index: number, fields: Partial<JobHead> = {}): Command {
  const key = freeKey(
    doc.jobs.map((job) => job.key),
    fields.key ?? 'job',
  );
  return {
    label: { did: 'addJob', params: { job: key } },
    ops: [{ op: 'job.insert', index: within(index, doc.jobs.length), job: { ...fields, key, tasks: [] } }],
    select: { tasks: [], job: key },
  };
}

/** Removes a job with its tasks, and the needs that name them. */
export function removeJob(doc: Doc, key: string): Command | undefined {
  const job = jobOf(doc, key);
  if (!job) return undefined;
  const gone = new Set(job.tasks?.map((task) => task.key));
  return {
    label:
      gone.size === 0
        ? { did: 'removeJob', params: { job: key } }
        : { did: 'removeJobWith', params: { job: key, count: gone.size } },
    ops: [...unneed(doc, gone), { op: 'job.remove', key }],
    select: { tasks: [] },
  };
}

/** A copy of a job after it: its tasks under free keys, needing what the originals need. */
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
    label: { did: 'duplicateJob', params: { job: key } },
    ops: [{ op: 'job.insert', index: index + 1, job: copy }],
    select: { tasks: [], job: name },
  };
}

/** A new task in a job, at a position or at its end. Its key is made free by a number. */
export function addTask(
  doc: Doc,
  job: string,
  task: Partial<Task> & { handler: string },
  index = Infinity,
): Command | undefined {
  const into = jobOf(doc, job);
  if (!into) return undefined;
  const key = freeKey([...placesOf(doc).keys()], task.key ?? task.handler);
  return {
    label: { did: 'addTask', params: { task: key } },
    ops: [{ op: 'task.insert', job, index: within(index, into.tasks?.length ?? 0), task: { ...task, key } }],
    select: { tasks: [key] },
  };
}

/**
 * A new task that needs `from`, as a dependency drawn to an empty place makes it. It goes into the given job if that
 * is a later one, otherwise into the job after that of `from`, which is made if there is none.
 */
export function addTaskAfter(
  doc: Doc,
  source: string,
  task: Partial<Task> & { handler: string },
  job?: string,
): Command | undefined {
  const from = placesOf(doc).get(source);
  if (!from) return undefined;
  const wanted = doc.jobs.findIndex((other) => other.key === job);
  const into = doc.jobs[wanted > from.job ? wanted : from.job + 1];
  const key = freeKey([...placesOf(doc).keys()], task.key ?? task.handler);
  const made: Task = { ...task, key, needs: [...new Set([source, ...(task.needs ?? [])])] };
  const ops: Op[] = into
    ? [{ op: 'task.insert', job: into.key, index: into.tasks?.length ?? 0, task: made }]
    : [
        {
          op: 'job.insert',
          index: from.job + 1,
          job: {
            key: freeKey(
              doc.jobs.map((other) => other.key),
              'job',
            ),
            tasks: [made],
          },
        },
      ];
  return { label: { did: 'addTaskAfter', params: { task: key, from: source } }, ops, select: { tasks: [key] } };
}

/** Sets fields of the schedule itself; undefined removes one. */
export function editHead(doc: Doc, fields: Partial<Head>, gesture?: string): Command | undefined {
  const value = withFields(headOf(doc), fields);
  return value && { label: { did: 'editSchedule' }, ops: [{ op: 'head', value }], gesture };
}

/** Sets fields of a job; a new key renames it. Nothing if the key is empty or taken. */
export function editJob(doc: Doc, key: string, fields: Partial<JobHead>, gesture?: string): Command | undefined {
  const job = jobOf(doc, key);
  const value = job && withFields(jobHeadOf(job), fields);
  if (!value) return undefined;
  if (value.key === key)
    return { label: { did: 'editJob', params: { job: key } }, ops: [{ op: 'job.put', key, value }], gesture };
  if (!value.key || doc.jobs.some((other) => other.key !== key && fold(other.key) === fold(value.key)))
    return undefined;
  return {
    label: { did: 'renameJob', params: { from: key, job: value.key } },
    ops: [{ op: 'job.put', key, value }],
    gesture,
    select: { tasks: [], job: value.key },
  };
}

/** Gives a job another key. Undefined if that is empty or taken. */
export const renameJob = (doc: Doc, from: string, to: string): Command | undefined => editJob(doc, from, { key: to });

/** Sets fields of tasks; undefined removes one. Keys are changed by `renameTask`. */
export function editTasks(
  doc: Doc,
  keys: readonly string[],
  fields: Partial<Omit<Task, 'key'>>,
  gesture?: string,
): Command | undefined {
  return putTasks(doc, keys, (task) => withFields<Task>(task, fields), gesture);
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
  const [one] = command.ops;
  return {
    ...command,
    label:
      command.ops.length === 1 && one?.op === 'task.put'
        ? { did: disabled ? 'disableTask' : 'enableTask', params: { task: one.key } }
        : { did: disabled ? 'disableTasks' : 'enableTasks', params: { count: command.ops.length } },
  };
}

/** Gives a task another key, also in the needs and expressions of others. Nothing if the key is empty or taken. */
export function renameTask(doc: Doc, from: string, to: string): Command | undefined {
  const task = taskOf(doc, from);
  if (!task || from === to || to === '' || tasksOf(doc).some((other) => other !== task && fold(other.key) === fold(to)))
    return undefined;
  const names = new Map([[from, to]]);
  const ops: Op[] = [{ op: 'task.put', key: from, value: { ...renamedIn(task, names), key: to } }];
  for (const other of tasksOf(doc)) {
    const next = other === task ? other : renamedIn(other, names);
    if (next !== other) ops.push({ op: 'task.put', key: other.key, value: next });
  }
  return { label: { did: 'renameTask', params: { from, task: to } }, ops, select: { tasks: [to] } };
}

/** Removes tasks, and the needs that name them. */
export function removeTasks(doc: Doc, keys: readonly string[]): Command | undefined {
  const gone = new Set(keys.filter((key) => placesOf(doc).has(key)));
  if (gone.size === 0) return undefined;
  return {
    label:
      gone.size === 1
        ? { did: 'removeTask', params: { task: [...gone].join() } }
        : { did: 'removeTasks', params: { count: gone.size } },
    ops: [...unneed(doc, gone), ...[...gone].map((key): Op => ({ op: 'task.remove', key }))],
    select: { tasks: [] },
  };
}

/** Replaces the whole document: by that of the YAML view, a merge or an older revision. It must be `sound`. */
export const replaceAll = (value: Doc, did: 'editText' | 'merge' | 'restore' | 'discard'): Command => ({
  label: { did },
  ops: [{ op: 'all', value }],
});

/** The first of key, key2, key3, … that is free, ignoring case. */
export const freeKey = (taken: readonly string[], wanted: string): string => freeIn(new Set(taken.map(fold)), wanted);

/** Free keys for copies of tasks, by the keys of the originals. */
export function freeKeys(doc: Doc, wanted: readonly string[]): Map<string, string> {
  const used = new Set([...placesOf(doc).keys()].map(fold));
  const names = new Map<string, string>();
  for (const key of wanted) {
    const free = freeIn(used, key);
    used.add(fold(free));
    names.set(key, free);
  }
  return names;
}

/**
 * A free key like a wanted one: a copy of load2 is load3, not load22. A key that is too long with its number is cut.
 */
function freeIn(used: ReadonlySet<string>, wanted: string): string {
  if (!used.has(fold(wanted))) return wanted;
  const [, stem = wanted, digits] = /^(.*?)(\d{0,6})$/.exec(wanted) ?? [];
  for (let n = Math.max(2, Number(digits ?? 0) + 1); ; n++) {
    const key = `${stem.slice(0, MAX.key - String(n).length)}${n}`;
    if (!used.has(fold(key))) return key;
  }
}

/** An object with some fields changed; undefined if none is. */
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

/** A task with other needs; without any, the field is left out. */
export function withNeeds(task: Task, needs: readonly string[]): Task {
  if (needs.length > 0) return { ...task, needs: [...needs] };
  const rest = { ...task };
  delete rest.needs;
  return rest;
}

/** Operations that remove the needs that name certain tasks, from all other tasks. */
function unneed(doc: Doc, gone: ReadonlySet<string>): Op[] {
  return tasksOf(doc).flatMap((task): Op[] => {
    if (gone.has(task.key) || !task.needs?.some((need) => gone.has(need))) return [];
    return [
      {
        op: 'task.put',
        key: task.key,
        value: withNeeds(
          task,
          task.needs.filter((need) => !gone.has(need)),
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
  const [one] = ops;
  const label: Label =
    ops.length === 1 && one?.op === 'task.put'
      ? { did: 'editTask', params: { task: one.key } }
      : { did: 'editTasks', params: { count: ops.length } };
  return ops.length > 0 ? { label, ops, gesture } : undefined;
}

const within = (index: number, length: number) => Math.max(0, Math.min(index, length));

/**
 * Renames a param of the schedule, in its place and in the expressions of tasks. Scripts and statements that read it
 * by other means (`$region`, `:region`) are the user's own text and stay. Undefined if the name is taken or empty.
 */
export function renameParam(doc: Doc, from: string, to: string): Command | undefined {
  const params = doc.params ?? {};
  if (from === to || to === '' || !Object.hasOwn(params, from) || Object.hasOwn(params, to)) return undefined;
  const renamed = Object.fromEntries(Object.entries(params).map(([name, value]) => [name === from ? to : name, value]));
  const ops: Op[] = [{ op: 'head', value: { ...headOf(doc), params: renamed } }];
  for (const task of tasksOf(doc)) {
    const next = paramRenamedIn(task, from, to);
    if (next !== task) ops.push({ op: 'task.put', key: task.key, value: next });
  }
  return { label: { did: 'editSchedule' }, ops };
}
