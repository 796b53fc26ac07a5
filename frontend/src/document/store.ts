import type { TFunction } from 'i18next';
import { createStore, type StoreApi } from 'zustand/vanilla';
import type words from '@/i18n/locales/en/document.json';
import { applyOps, jobOf, type Op, ordered, placesOf, taskOf } from './ops';
import { type Doc, NOTHING, type Selection } from './types';

type Stem<K> = K extends `${infer S}_${'one' | 'other'}` ? S : K;

/** The name of a kind of command: a key below `did` of the namespace `document`. */
export type Did = Stem<keyof (typeof words)['did']>;

/** What a command did, for the list of undo steps. */
export interface Label {
  did: Did;
  params?: Record<string, string | number>;
}

/** What a command did, as in “Undo: move load”. */
export const didText = (t: TFunction<'document'>, { did, params }: Label): string => t(`did.${did}`, params ?? {});

/** One change of the document, and one step to undo. */
export interface Command {
  label: Label;
  ops: readonly Op[];
  /** What is selected afterwards; unchanged if left out. */
  select?: Selection;
  /** Commands in a row that have the same text here, such as typing into one field, are undone as one. */
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
  /** The operations that led from the document before to this one, for a journal. */
  step: readonly Op[];
  /** Applies a command; does nothing if that changes nothing. */
  apply: (command: Command | undefined) => void;
  undo: () => void;
  redo: () => void;
  /** Ends a gesture: the next command is undone by itself. */
  seal: () => void;
  select: (selection: Selection) => void;
}

/** A store of `DocumentState`. */
export type DocumentStore = StoreApi<DocumentState>;

/**
 * The store of one document. Only commands change it; each leaves its inverse, so that undoing all of them gives the
 * first document again, byte for byte.
 */
export function newDocumentStore(doc: Doc): DocumentStore {
  return createStore<DocumentState>((set, get) => ({
    doc: ordered(doc),
    selection: NOTHING,
    past: [],
    future: [],
    step: [],
    apply: (command) => {
      if (!command || command.ops.length === 0) return;
      const { doc: before, selection, past } = get();
      const [whole] = command.ops;
      if (
        whole?.op === 'all' &&
        command.ops.length === 1 &&
        JSON.stringify(ordered(whole.value)) === JSON.stringify(before)
      )
        return;
      const { doc: after, inverse } = applyOps(before, command.ops);
      const select = there(after, command.select ?? selection);
      const last = past.at(-1);
      const goesOn = last?.gesture !== undefined && last.gesture === command.gesture;
      const entry: Entry = goesOn
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
        past: [...(goesOn ? past.slice(0, -1) : past), entry],
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
      get().seal(); // what comes is no part of a gesture that went before what was taken back
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
    seal: () => {
      const { past } = get();
      const last = past.at(-1);
      if (last?.gesture !== undefined) set({ past: [...past.slice(0, -1), { ...last, gesture: undefined }] });
    },
    select: (selection) => {
      get().seal();
      set({ selection });
    },
  }));
}

/** The part of a selection that exists in a document. */
function there(doc: Doc, selection: Selection): Selection {
  const { tasks, job, edge } = selection;
  const kept = tasks.filter((key) => placesOf(doc).has(key));
  const jobThere = job === undefined || jobOf(doc, job) !== undefined;
  const edgeThere = !edge || taskOf(doc, edge.to)?.needs?.includes(edge.from);
  if (kept.length === tasks.length && jobThere && edgeThere) return selection;
  return { tasks: kept, ...(jobThere && job !== undefined ? { job } : {}), ...(edgeThere && edge ? { edge } : {}) };
}
