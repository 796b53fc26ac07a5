import { type DocumentStore, positionsOf } from '@/document';
import { jobOfMark, laneMark, type Point } from '@/scene';
import { connectOrExplain } from './applyGesture';
import type { CanvasContextValue, MenuSubject } from './canvasStore';
import { type ConnectAnswer, currentJob } from './editActions';

/** The commands of the canvas's keys. The help that `?` opens lists them. */
type CanvasCommand =
  | 'add'
  | 'addAtPointer'
  | 'addJob'
  | 'addLastJob'
  | 'connect'
  | 'rename'
  | 'menu'
  | 'remove'
  | 'selectAll'
  | 'duplicate'
  | 'laneUp'
  | 'laneDown'
  | 'toggle'
  | 'select'
  | 'clear';

/** A key with its modifiers. Keyboard events of the browser and of React have these fields. */
export interface KeyPress {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
}

type Table = Readonly<Partial<Record<string, CanvasCommand>>>;

/** Keys without a modifier. */
const PLAIN: Table = {
  a: 'add',
  n: 'addJob',
  c: 'connect',
  F2: 'rename',
  m: 'menu',
  ContextMenu: 'menu',
  Delete: 'remove',
  Backspace: 'remove',
  ' ': 'toggle',
  Tab: 'addAtPointer',
};

/** Keys with Ctrl, or Cmd on a Mac. */
const CTRL: Table = { a: 'selectAll', d: 'duplicate' };

const SHIFT: Table = { F10: 'menu', n: 'addLastJob' };

const ALT_SHIFT: Table = { ArrowUp: 'laneUp', ArrowDown: 'laneDown' };

/** The command of a key; undefined for keys that are not the canvas's own. */
export function commandFor({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyPress): CanvasCommand | undefined {
  const ctrl = ctrlKey || metaKey;
  if (key === 'Escape') return 'clear';
  if (key === 'Enter') return ctrl ? undefined : 'select';
  const name = key.length === 1 ? key.toLowerCase() : key;
  return tableFor(ctrl, altKey, shiftKey)?.[name];
}

function tableFor(ctrl: boolean, alt: boolean, shift: boolean): Table | undefined {
  if (ctrl) return alt || shift ? undefined : CTRL;
  if (alt) return shift ? ALT_SHIFT : undefined;
  return shift ? SHIFT : PLAIN;
}

/** The target of keyboard commands. */
export interface KeyboardTarget extends CanvasContextValue {
  store: DocumentStore;
  /**
   * The position in the window of a card, or of the lane of a mark; without a mark, of the active element. A menu that
   * is opened by a key appears there.
   */
  positionOf: (mark?: string) => Point;
  /** Sentences for screen readers. */
  announcements: {
    connecting: (task: string) => string;
    connectEnded: () => string;
    answer: (answer: NonNullable<ConnectAnswer>) => string;
  };
}

/** The subject of the next key. */
interface Focus {
  /** The active task. */
  task?: string;
  /** The selected tasks; only the active task if the scene has the focus and that task is not selected. */
  tasks: readonly string[];
  /** The job of the active lane, if the scene has the focus. */
  job?: string;
}

/** Runs the command of a key; returns whether the key was handled. */
export function runKey(press: KeyPress, target: KeyboardTarget): boolean {
  // After a move by keys, Tab must not open quick-add at the mouse.
  if (press.key.startsWith('Arrow') || press.key === 'Home' || press.key === 'End')
    target.pointer.setState({ at: undefined });
  const { connectingFrom } = target.canvas.getState();
  if (connectingFrom !== undefined && chooseTarget(connectingFrom, press, target)) return true;
  const command = commandFor(press);
  return command !== undefined && COMMANDS[command](target, focusOf(target));
}

function focusOf({ sceneStore, store }: KeyboardTarget): Focus {
  const { active, focused } = sceneStore.getState();
  const { doc, selection } = store.getState();
  const task = active !== undefined && positionsOf(doc).has(active) ? active : undefined;
  const alone = focused && task !== undefined && !selection.tasks.includes(task);
  return { task, tasks: alone ? [task] : selection.tasks, job: focused ? jobOfMark(active) : undefined };
}

/** While a dependency is drawn by keys: Enter or C ends it at the active task, Escape cancels it. */
function chooseTarget(from: string, press: KeyPress, target: KeyboardTarget): boolean {
  const { canvas, sceneStore, announcements } = target;
  const command = commandFor(press);
  if (command === 'clear') {
    canvas.setState({ connectingFrom: undefined, announcement: announcements.connectEnded() });
    return true;
  }
  if (command !== 'select' && command !== 'connect') return false;
  const { active } = sceneStore.getState();
  if (active === undefined || jobOfMark(active) !== undefined) return true;
  sceneStore.setState({ active: from, trail: undefined });
  connectOrExplain(from, active, press.shiftKey, target.positionOf(active), {
    edit: target.edit,
    canvas,
    announce: (answer) => {
      if (answer) canvas.setState({ announcement: announcements.answer(answer) });
    },
  });
  return true;
}

/** Each command returns whether it handled the key. The scene and the page get the other keys. */
const COMMANDS: Readonly<Record<CanvasCommand, (target: KeyboardTarget, focus: Focus) => boolean>> = {
  add: ({ store, canvas, sceneStore, positionOf }) => {
    const { active } = sceneStore.getState();
    const job = currentJob(store, active);
    const into = job === undefined ? { index: 0 } : { job };
    canvas.setState({ quickAdd: { client: positionOf(active), into } });
    return true;
  },
  addAtPointer: ({ canvas, pointer }) => {
    // With a mouse, Tab opens the menu at the pointer. Keyboard users must be able to leave the canvas by Tab.
    const { at } = pointer.getState();
    const quickAdd = at && canvas.getState().quickAddAt?.(at);
    if (quickAdd) canvas.setState({ quickAdd });
    return quickAdd !== undefined;
  },
  addJob: (target) => {
    const { jobs } = target.store.getState().doc;
    const job = currentJob(target.store, target.sceneStore.getState().active);
    return addJobAt(target, job === undefined ? jobs.length : jobs.findIndex((each) => each.key === job) + 1);
  },
  addLastJob: (target) => addJobAt(target, target.store.getState().doc.jobs.length),
  connect: ({ canvas, announcements }, { tasks: [only, second] }) => {
    if (only !== undefined && second === undefined)
      canvas.setState({ connectingFrom: only, announcement: announcements.connecting(only) });
    return true;
  },
  rename: ({ canvas, store }, { tasks, job }) => {
    const renamedJob = job ?? store.getState().selection.job;
    if (renamedJob !== undefined) canvas.setState({ renaming: laneMark(renamedJob) });
    else if (tasks.length === 1) canvas.setState({ renaming: tasks[0] });
    return true;
  },
  menu: (target, { task, job }) => {
    const { canvas, edit, store } = target;
    const { doc, selection } = store.getState();
    if (task !== undefined && !selection.tasks.includes(task)) edit.selectTasks([task]);
    const lane = job ?? selection.job;
    const client = target.positionOf(task ?? (lane === undefined ? undefined : laneMark(lane)));
    canvas.setState({
      contextMenu: { subject: menuSubject(task, job, lane, doc.jobs.length), client, buttonDown: false },
    });
    return true;
  },
  remove: ({ edit, store }, { tasks, job }) => {
    if (job !== undefined) edit.removeJob(job);
    else if (tasks.length > 0 && !store.getState().selection.edge) edit.removeTasks(tasks);
    else edit.remove();
    return true;
  },
  selectAll: ({ edit, store }, { task }) => {
    const { doc, selection } = store.getState();
    const lane = task === undefined ? undefined : doc.jobs[positionsOf(doc).get(task)?.job ?? -1];
    const allSelected = lane?.tasks?.every((each) => selection.tasks.includes(each.key)) ?? true;
    edit.selectAll(allSelected ? undefined : lane?.key);
    return true;
  },
  duplicate: ({ edit, store }, { tasks }) => {
    edit.duplicate(store.getState().selection.job === undefined ? tasks : undefined);
    return true;
  },
  laneUp: (target, focus) => moveByLanes(-1, target, focus),
  laneDown: (target, focus) => moveByLanes(1, target, focus),
  toggle: ({ edit }, { task }) => {
    if (task !== undefined) edit.toggle(task);
    return task !== undefined;
  },
  select: ({ edit }, { task, job }) => {
    if (job !== undefined) edit.select({ tasks: [], job });
    else if (task !== undefined) edit.selectTasks([task]);
    return true;
  },
  clear: ({ canvas, edit, store }) => {
    const { tasks, job, edge } = store.getState().selection;
    canvas.setState({ tip: undefined });
    if (tasks.length === 0 && job === undefined && !edge) return false;
    edit.clear();
    return true;
  },
};

function addJobAt({ edit, sceneStore }: KeyboardTarget, index: number): boolean {
  const job = edit.addJob(index)?.job;
  if (job !== undefined) sceneStore.setState({ active: laneMark(job), focused: true });
  return true;
}

function moveByLanes(by: -1 | 1, { edit }: KeyboardTarget, { tasks, job }: Focus): boolean {
  if (job !== undefined) edit.moveJobBy(job, by);
  else if (tasks.length > 0) edit.moveBy(tasks, by);
  return true;
}

function menuSubject(
  task: string | undefined,
  job: string | undefined,
  lane: string | undefined,
  jobs: number,
): MenuSubject {
  if (task !== undefined && job === undefined) return { task };
  return lane === undefined ? { ground: jobs } : { job: lane };
}
