import { isSame, rebase } from './changes';
import type { CalendarDoc } from './days';

/** A revision with its document. */
export interface Base {
  number: number;
  doc: CalendarDoc;
}

/** The unsaved edits of a calendar. The draft lives in the page only. */
export interface Draft {
  /** The revision from which the edits started. */
  base: Base;
  doc: CalendarDoc;
  /** Earlier documents, the latest last. */
  past: readonly CalendarDoc[];
  /** Undone documents, the next to redo last. */
  future: readonly CalendarDoc[];
}

/** Whether there is something to save. */
export const isDirty = (draft: Draft): boolean => !isSame(draft.base.doc, draft.doc);

/** The draft after an edit. A draft without changes starts anew from the newest revision. */
export function edited(draft: Draft | undefined, newest: Base, edit: (doc: CalendarDoc) => CalendarDoc): Draft {
  const current: Draft =
    draft && (isDirty(draft) || draft.base.number === newest.number)
      ? draft
      : { base: newest, doc: newest.doc, past: [], future: [] };
  const doc = edit(current.doc);
  return isSame(doc, current.doc) ? current : { ...current, doc, past: [...current.past, current.doc], future: [] };
}

/** The draft without its last edit. */
export function undone(draft: Draft): Draft {
  const doc = draft.past.at(-1);
  return doc ? { ...draft, doc, past: draft.past.slice(0, -1), future: [...draft.future, draft.doc] } : draft;
}

/** The draft with the edit that was undone last. */
export function redone(draft: Draft): Draft {
  const doc = draft.future.at(-1);
  return doc ? { ...draft, doc, past: [...draft.past, draft.doc], future: draft.future.slice(0, -1) } : draft;
}

/** The draft on a newer revision. Every step of the undo history is moved too, so that undo removes only own edits. */
export function rebased({ base, doc, past, future }: Draft, newest: Base): Draft {
  const move = (own: CalendarDoc) => rebase(base.doc, own, newest.doc);
  return { base: newest, doc: move(doc), past: past.map(move), future: future.map(move) };
}
