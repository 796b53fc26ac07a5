import {
  acceptOffer,
  addJob,
  addTask,
  addTaskAfter,
  applyOps,
  type Command,
  connect,
  type Doc,
  type DocumentStore,
  disconnect,
  disconnectAll,
  duplicateJob,
  duplicateTasks,
  jobOf,
  jobOfTask,
  moveJob,
  moveTasks,
  moveTasksToNewJob,
  type Note,
  noteOf,
  positionsOf,
  removeJob,
  removeTasks,
  renameJob,
  renameTask,
  type Refusal,
  refusalOf,
  setDisabled,
  setJobDisabled,
  type Selection,
  taskOf,
  tasksOf,
} from '@/document';
import { jobOfMark } from '@/scene';

/** The destination of a task: a job, before one of its tasks or at its end; or a new job at an index. */
export type Destination = { job: string; before?: string } | { index: number };

/** Where a new task is added. */
export interface TaskPlacement {
  into: Destination;
  /** The task that it needs, if that is in an earlier job. */
  from?: string;
}

/** How an attempt to connect two tasks ended; undefined if they were connected. */
export type ConnectAnswer = { refusal: Refusal } | { note: Note } | undefined;

/** The actions of a canvas. Each action that changes the document is one command, and one step to undo. */
export type EditActions = ReturnType<typeof newEditActions>;

/** Makes a command of the document, or nothing, and applies it; returns the selection of the command. */
type Apply = (make: (doc: Doc) => Command | undefined) => Selection | undefined;

/**
 * The actions of a canvas on a document. `drawerCovers` returns whether the drawer of a selected task or job would
 * cover the canvas. If so, no command selects anything.
 */
export function newEditActions(store: DocumentStore, drawerCovers: () => boolean = () => false) {
  const apply: Apply = (make) => {
    const command = make(store.getState().doc);
    store.getState().apply(command?.select && drawerCovers() ? { ...command, select: { tasks: [] } } : command);
    return command?.select;
  };
  return {
    ...selectActions(store),
    ...connectActions(store, apply),
    ...taskActions(store, apply),
    ...jobActions(apply),
  };
}

function selectActions(store: DocumentStore) {
  const select = (selection: Selection) => {
    store.getState().select(selection);
  };
  return {
    select,
    selectTasks: (keys: readonly string[]) => {
      select({ tasks: keys });
    },
    /** Adds a task to the selection, or removes it. */
    toggle: (key: string) => {
      const { tasks } = store.getState().selection;
      select({ tasks: tasks.includes(key) ? tasks.filter((other) => other !== key) : [...tasks, key] });
    },
    clear: () => {
      select({ tasks: [] });
    },
    /** Selects all tasks, or all tasks of one job. */
    selectAll: (job?: string) => {
      const { doc } = store.getState();
      select({ tasks: (job === undefined ? tasksOf(doc) : (jobOf(doc, job)?.tasks ?? [])).map((task) => task.key) });
    },
  };
}

function connectActions(store: DocumentStore, apply: Apply) {
  return {
    /**
     * Makes `to` need `from`. With `alternative`, accepts the offer of a refusal. Returns why it failed.
     */
    connect: (from: string, to: string, alternative = false): ConnectAnswer => {
      const { doc } = store.getState();
      const refusal = refusalOf(doc, from, to);
      if (refusal && !(alternative && refusal.offer)) return { refusal };
      const redundant = noteOf(doc, from, to);
      if (redundant) return { note: redundant };
      apply(() => withoutSelecting(refusal ? acceptOffer(doc, refusal) : connect(doc, from, to)));
      return undefined;
    },
    accept: (refusal: Refusal) => apply((doc) => withoutSelecting(acceptOffer(doc, refusal))),
  };
}

function taskActions(store: DocumentStore, apply: Apply) {
  return {
    /** Removes the selection. */
    remove: () => {
      const { edge, job, tasks } = store.getState().selection;
      return apply((doc) => {
        if (edge) return disconnect(doc, edge.from, edge.to);
        return job !== undefined ? removeJob(doc, job) : removeTasks(doc, tasks);
      });
    },
    removeTasks: (keys: readonly string[]) => apply((doc) => removeTasks(doc, keys)),
    /** Adds a task of a handler. Without `key`, the document chooses one. */
    add: (handler: string, placement: TaskPlacement, key?: string) =>
      apply((doc) => addCommand(doc, { handler, ...(key ? { key } : {}) }, placement)),
    addAfter: (from: string, handler: string) => apply((doc) => addTaskAfter(doc, from, { handler })),
    move: (keys: readonly string[], job: string, before?: string) =>
      apply((doc) => moveCommand(doc, keys, { job, before })),
    moveToNewJob: (keys: readonly string[], index: number) => apply((doc) => moveTasksToNewJob(doc, keys, index)),
    /** Moves tasks to the lane above the topmost of them, or below the lowest. If there is none, it adds a job. */
    moveBy: (keys: readonly string[], lanes: -1 | 1) =>
      apply((doc) => {
        const at = keys.flatMap((key) => positionsOf(doc).get(key)?.job ?? []);
        const to = lanes < 0 ? Math.min(...at) - 1 : Math.max(...at) + 1;
        const job = doc.jobs[to];
        return job ? moveTasks(doc, keys, job.key) : moveTasksToNewJob(doc, keys, Math.max(0, to));
      }),
    /** Duplicates tasks; without keys, the selection. */
    duplicate: (keys?: readonly string[]) => {
      const { job, tasks } = store.getState().selection;
      return apply((doc) =>
        keys === undefined && job !== undefined ? duplicateJob(doc, job) : duplicateTasks(doc, keys ?? tasks),
      );
    },
    /** Disables tasks, or enables them if all are disabled. */
    toggleDisabled: (keys: readonly string[]) =>
      apply((doc) => {
        const enabled = keys.some((key) => !taskOf(doc, key)?.disabled);
        return setDisabled(doc, keys, enabled);
      }),
    /** Removes all dependencies of tasks, in both directions. */
    disconnectAll: (keys: readonly string[]) => apply((doc) => disconnectAll(doc, keys)),
    renameTask: (key: string, to: string) => apply((doc) => renameTask(doc, key, to)),
  };
}

function jobActions(apply: Apply) {
  return {
    addJob: (index: number) => apply((doc) => addJob(doc, index)),
    removeJob: (job: string) => apply((doc) => removeJob(doc, job)),
    moveJob: (job: string, index: number) => apply((doc) => moveJob(doc, job, index)),
    moveJobBy: (job: string, lanes: -1 | 1) =>
      apply((doc) => {
        const at = doc.jobs.findIndex((other) => other.key === job);
        return at + lanes < 0 ? undefined : moveJob(doc, job, at + lanes);
      }),
    /** Disables a job, or enables it again. */
    toggleJobDisabled: (job: string) => apply((doc) => setJobDisabled(doc, job, !jobOf(doc, job)?.disabled)),
    renameJob: (job: string, to: string) => apply((doc) => renameJob(doc, job, to)),
  };
}

/** Adds a task at a placement. It needs `from` only if that task is in an earlier job. */
function addCommand(doc: Doc, task: { handler: string; key?: string }, { into, from }: TaskPlacement) {
  const fromLane = from === undefined ? Infinity : (positionsOf(doc).get(from)?.job ?? Infinity);
  if ('index' in into) {
    return inTurn(doc, addJob(doc, into.index), (made, { job = '' }) => {
      const follows = from !== undefined && (positionsOf(made).get(from)?.job ?? Infinity) < into.index;
      return follows ? addTaskAfter(made, from, task, job) : addTask(made, job, task);
    });
  }
  const lane = doc.jobs.findIndex((job) => job.key === into.job);
  if (from !== undefined && fromLane < lane) return addTaskAfter(doc, from, task, into.job);
  return addTask(doc, into.job, task, indexBefore(doc, into.job, into.before));
}

/** Moves tasks into a job: before one of its tasks, or at its end. */
export function moveCommand(
  doc: Doc,
  keys: readonly string[],
  { job, before }: { job: string; before?: string },
): Command | undefined {
  const tasks = jobOf(doc, job)?.tasks ?? [];
  const staying = tasks.filter((task) => !keys.includes(task.key));
  // If `before` is moved too, the tasks go before the next task that stays.
  const from = before === undefined ? -1 : tasks.findIndex((task) => task.key === before);
  const next = from < 0 ? undefined : tasks.slice(from).find((task) => !keys.includes(task.key));
  const index = next ? staying.indexOf(next) : -1;
  return moveTasks(doc, keys, job, index < 0 ? undefined : index);
}

/**
 * The current job, which a new task is added to: the job of the active card or lane (`active` is its key or mark). If
 * that is selected, or does not exist, it is the selected job or the job of the last selected task, otherwise the last
 * job.
 */
export function currentJob(store: DocumentStore, active: string | undefined): string | undefined {
  const { doc, selection } = store.getState();
  const jobOfKey = (key: string | undefined) => (key === undefined ? undefined : jobOfTask(doc, key)?.key);
  const lane = jobOfMark(active);
  const ofActive = lane === undefined ? jobOfKey(active) : jobOf(doc, lane)?.key;
  const isSelected = active !== undefined && selection.tasks.includes(active);
  return (
    (isSelected ? undefined : ofActive) ?? selection.job ?? jobOfKey(selection.tasks.at(-1)) ?? doc.jobs.at(-1)?.key
  );
}

/** Adds a task to the current job, or to a new job if there is none. */
export function addToCurrentJob(
  store: DocumentStore,
  edit: EditActions,
  active: string | undefined,
  handler: string,
): void {
  const job = currentJob(store, active);
  edit.add(handler, { into: job === undefined ? { index: store.getState().doc.jobs.length } : { job } });
}

function indexBefore(doc: Doc, job: string, before: string | undefined): number | undefined {
  const index = before === undefined ? -1 : (jobOf(doc, job)?.tasks ?? []).findIndex((task) => task.key === before);
  return index < 0 ? undefined : index;
}

const withoutSelecting = (command: Command | undefined): Command | undefined =>
  command && { ...command, select: undefined };

/** Two commands as one, with the label of the second. */
function inTurn(
  doc: Doc,
  first: Command,
  then: (doc: Doc, selection: Selection) => Command | undefined,
): Command | undefined {
  const second = then(applyOps(doc, first.ops).doc, first.select ?? { tasks: [] });
  return second && { ...second, ops: [...first.ops, ...second.ops] };
}
