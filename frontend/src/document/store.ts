import type { TFunction } from 'i18next';
import { createStore, type StoreApi } from 'zustand/vanilla';
import type texts from '@/i18n/locales/en/document.json';
import { applyOps, jobOf, type Op, ordered, positionsOf, taskOf } from './ops';
import { type Doc, NO_SELECTION, type Selection } from './types';

type Stem<K> = K extends `${infer S}_${'one' | 'other'}` ? S : K;

/** A kind of command: a key below `command` of the namespace `document`. */
export type CommandKind = Stem<keyof (typeof texts)['command']>;

/** The name of a command, for the undo buttons and announcements. */
export interface Label {
  kind: CommandKind;
  params?: Record<string, string | number>;
}

/** The text of a label, as in “Undo: move load”. */
export const labelText = (t: TFunction<'document'>, { kind, params }: Label): string =>
  t(`command.${kind}`, params ?? {});

/** One change of the document, and one step to undo. */
export interface Command {
  label: Label;
  ops: readonly Op[];
  /** The selection afterwards; unchanged if left out. */
  select?: Selection;
  /** Consecutive commands of the same gesture, such as typing into one field, are undone as one step. */
  gesture?: string;
}

interface Entry {
  label: Label;
  done: readonly Op[];
  undo: readonly Op[];
  before: Selection;
  after: Selection;
  gesture?: string;
}

/** A document with its selection and its steps to undo and redo. */
export interface DocumentState {
  doc: Doc;
  selection: Selection;
  past: readonly Entry[];
  future: readonly Entry[];
  /** The operations that led from the previous document to this one, for a journal. */
  step: readonly Op[];
  /** Applies a command; does nothing if that changes nothing. */
  apply: (command: Command | undefined) => void;
  undo: () => void;
  redo: () => void;
  /** Ends a gesture: the next command is undone by itself. */
  endGesture: () => void;
  select: (selection: Selection) => void;
}

/** A store of `DocumentState`. */
export type DocumentStore = StoreApi<DocumentState>;

/**
 * Makes the store of one document. Only commands change the document. The inverse of each command is stored, so that
 * undoing all of them restores the first document byte for byte.
 */
export function newDocumentStore(doc: Doc): DocumentStore {
  return createStore<DocumentState>((set, get) => ({
    doc: ordered(doc),
    selection: NO_SELECTION,
    past: [],
    future: [],
    step: [],
    apply: (command) => {
      if (!command || command.ops.length === 0) return;
      const { doc: before, selection, past } = get();
      const [firstOp] = command.ops;
      if (
        firstOp?.op === 'all' &&
        command.ops.length === 1 &&
        JSON.stringify(ordered(firstOp.value)) === JSON.stringify(before)
      )
        return;
      const { doc: after, inverse } = applyOps(before, command.ops);
      const select = existingPart(after, command.select ?? selection);
      const last = past.at(-1);
      const continuesGesture = last?.gesture !== undefined && last.gesture === command.gesture;
      const entry: Entry = continuesGesture
        ? { ...last, done: [...last.done, ...command.ops], undo: [...inverse, ...last.undo], after: select }
        : {
            label: command.label,
            done: command.ops,
            undo: inverse,
            before: selection,
            after: select,
            gesture: command.gesture,
          };
      set({
        doc: after,
        selection: select,
        past: [...(continuesGesture ? past.slice(0, -1) : past), entry],
        future: [],
        step: command.ops,
      });
    },
    undo: () => {
      const { doc: now, past, future } = get();
      const entry = past.at(-1);
      if (!entry) return;
      set({
        doc: applyOps(now, entry.undo).doc,
        selection: entry.before,
        past: past.slice(0, -1),
        future: [entry, ...future],
        step: entry.undo,
      });
      get().endGesture(); // the next command must not join a gesture from before the undone step
    },
    redo: () => {
      const {
        doc: now,
        past,
        future: [entry, ...rest],
      } = get();
      if (!entry) return;
      set({
        doc: applyOps(now, entry.done).doc,
        selection: entry.after,
        past: [...past, { ...entry, gesture: undefined }],
        future: rest,
        step: entry.done,
      });
    },
    endGesture: () => {
      const { past } = get();
      const last = past.at(-1);
      if (last?.gesture !== undefined) set({ past: [...past.slice(0, -1), { ...last, gesture: undefined }] });
    },
    select: (selection) => {
      get().endGesture();
      set({ selection });
    },
  }));
}

/** The part of a selection that exists in a document. */
function existingPart(doc: Doc, selection: Selection): Selection {
  const { tasks, job, edge } = selection;
  const existingTasks = tasks.filter((key) => positionsOf(doc).has(key));
  const jobExists = job === undefined || jobOf(doc, job) !== undefined;
  const edgeExists = !edge || taskOf(doc, edge.to)?.needs?.includes(edge.from);
  if (existingTasks.length === tasks.length && jobExists && edgeExists) return selection;
  return {
    tasks: existingTasks,
    ...(jobExists && job !== undefined ? { job } : {}),
    ...(edgeExists && edge ? { edge } : {}),
  };
}
