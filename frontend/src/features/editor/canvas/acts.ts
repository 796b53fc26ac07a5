import {
  accept,
  addJob,
  addTask,
  addTaskAfter,
  applyOps,
  type Command,
  connect,
  type Doc,
  type DocumentStore,
  disconnect,
  duplicateJob,
  duplicateTasks,
  jobOf,
  jobOfTask,
  moveJob,
  moveTasks,
  moveTasksToNewJob,
  type Note,
  note,
  placesOf,
  removeJob,
  removeTasks,
  renameJob,
  renameTask,
  type Refusal,
  refuse,
  setDisabled,
  type Selection,
  taskOf,
  tasksOf,
} from '@/document';
import type { QuickAt } from './desk';

/** What a person does on the canvas: each is one command, and one step of undoing. */
export type Acts = ReturnType<typeof newActs>;

/** How an attempt to connect ended. */
export type Connected = { refusal: Refusal } | { note: Note } | undefined;

/** `covered` says whether the drawer of what is selected would cover the canvas: what is done selects nothing then. */
export function newActs(store: DocumentStore, covered: () => boolean = () => false) {
  const now = () => store.getState();
  const apply = (make: (doc: Doc) => Command | undefined): Selection | undefined => {
    const command = make(now().doc);
    now().apply(command?.select && covered() ? { ...command, select: { tasks: [] } } : command);
    return command?.select;
  };
  const select = (selection: Selection) => {
    now().select(selection);
  };

  return {
    select,
    selectTasks: (keys: readonly string[]) => {
      select({ tasks: keys });
    },
    /** Adds a task to what is selected, or takes it out. */
    toggle: (key: string) => {
      const { tasks } = now().selection;
      select({ tasks: tasks.includes(key) ? tasks.filter((other) => other !== key) : [...tasks, key] });
    },
    clear: () => {
      select({ tasks: [] });
    },

    /** Lets a task need another, or does what is offered instead; answers why it did not. */
    connect: (from: string, to: string, instead = false): Connected => {
      const { doc } = now();
      const refusal = refuse(doc, from, to);
      if (refusal && !(instead && refusal.offer)) return { refusal };
      const known = note(doc, from, to);
      if (known) return { note: known };
      apply(() => keepingSelection(refusal ? accept(doc, refusal) : connect(doc, from, to)));
      return undefined;
    },
    accept: (refusal: Refusal) => apply((doc) => keepingSelection(accept(doc, refusal))),

    /** Takes away what is selected. */
    remove: () => {
      const {
        selection: { edge, job, tasks },
      } = now();
      return apply((doc) =>
        edge ? disconnect(doc, edge.from, edge.to) : job !== undefined ? removeJob(doc, job) : removeTasks(doc, tasks),
      );
    },
    removeTasks: (keys: readonly string[]) => apply((doc) => removeTasks(doc, keys)),
    removeJob: (job: string) => apply((doc) => removeJob(doc, job)),

    /** A task of a handler, where quick-add or a drop wants it. */
    add: (handler: string, { into, from }: Pick<QuickAt, 'into' | 'from'>, key?: string) =>
      apply((doc) => {
        const task = { handler, ...(key ? { key } : {}) };
        if ('index' in into) {
          return inTurn(doc, addJob(doc, into.index), (made, { job = '' }) => {
            const later = from !== undefined && (placesOf(made).get(from)?.job ?? Infinity) < into.index;
            return later ? addTaskAfter(made, from, task, job) : addTask(made, job, task);
          });
        }
        const lane = doc.jobs.findIndex((job) => job.key === into.job);
        if (from !== undefined && (placesOf(doc).get(from)?.job ?? Infinity) < lane)
          return addTaskAfter(doc, from, task, into.job);
        return addTask(doc, into.job, task, indexBefore(doc, into.job, into.before));
      }),
    addAfter: (from: string, handler: string) => apply((doc) => addTaskAfter(doc, from, { handler })),
    addJob: (index: number) => apply((doc) => addJob(doc, index)),

    move: (keys: readonly string[], job: string, before?: string) =>
      apply((doc) => moveCommand(doc, keys, { job, before })),
    moveToNewJob: (keys: readonly string[], index: number) => apply((doc) => moveTasksToNewJob(doc, keys, index)),
    /** Moves tasks to the lane above or below the uppermost or lowest of them; below the last a new one is made. */
    moveBy: (keys: readonly string[], lanes: -1 | 1) =>
      apply((doc) => {
        const at = keys.flatMap((key) => placesOf(doc).get(key)?.job ?? []);
        const to = lanes < 0 ? Math.min(...at) - 1 : Math.max(...at) + 1;
        const job = doc.jobs[to];
        return job ? moveTasks(doc, keys, job.key) : moveTasksToNewJob(doc, keys, Math.max(0, to));
      }),
    moveJob: (job: string, index: number) => apply((doc) => moveJob(doc, job, index)),
    moveJobBy: (job: string, lanes: -1 | 1) =>
      apply((doc) => {
        const at = doc.jobs.findIndex((other) => other.key === job);
        return at + lanes < 0 ? undefined : moveJob(doc, job, at + lanes);
      }),

    duplicate: (keys?: readonly string[]) => {
      const {
        selection: { job, tasks },
      } = now();
      return apply((doc) =>
        keys === undefined && job !== undefined ? duplicateJob(doc, job) : duplicateTasks(doc, keys ?? tasks),
      );
    },
    toggleDisabled: (keys: readonly string[]) =>
      apply((doc) =>
        setDisabled(
          doc,
          keys,
          keys.some((key) => !taskOf(doc, key)?.disabled),
        ),
      ),
    renameTask: (key: string, to: string) => apply((doc) => renameTask(doc, key, to)),
    renameJob: (job: string, to: string) => apply((doc) => renameJob(doc, job, to)),
    selectAll: (job?: string) => {
      const { doc } = now();
      select({ tasks: (job === undefined ? tasksOf(doc) : (jobOf(doc, job)?.tasks ?? [])).map((task) => task.key) });
    },
  };
}

/** Where a drop in a lane puts tasks: before another one, or at the end. */
export function moveCommand(
  doc: Doc,
  keys: readonly string[],
  { job, before }: { job: string; before?: string },
): Command | undefined {
  const staying = (jobOf(doc, job)?.tasks ?? []).filter((task) => !keys.includes(task.key));
  // Before one of those that move is before what follows it.
  const from = before === undefined ? -1 : (jobOf(doc, job)?.tasks ?? []).findIndex((task) => task.key === before);
  const next =
    from < 0 ? undefined : (jobOf(doc, job)?.tasks ?? []).slice(from).find((task) => !keys.includes(task.key));
  const index = next ? staying.indexOf(next) : -1;
  return moveTasks(doc, keys, job, index < 0 ? undefined : index);
}

/** The job of a task, by its key. */
export const jobKeyOf = (doc: Doc, task: string): string | undefined => jobOfTask(doc, task)?.key;

function indexBefore(doc: Doc, job: string, before: string | undefined): number | undefined {
  const index = before === undefined ? -1 : (jobOf(doc, job)?.tasks ?? []).findIndex((task) => task.key === before);
  return index < 0 ? undefined : index;
}

const keepingSelection = (command: Command | undefined): Command | undefined =>
  command && { ...command, select: undefined };

/** Two commands as one: it is called what the second is called. */
function inTurn(
  doc: Doc,
  first: Command,
  then: (doc: Doc, selection: Selection) => Command | undefined,
): Command | undefined {
  const second = then(applyOps(doc, first.ops).doc, first.select ?? { tasks: [] });
  return second && { ...second, ops: [...first.ops, ...second.ops] };
}
