import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { usePollInterval } from '@/live';
import { calendarQuery } from './calls';
import { changedDays, changesOf } from './changes';
import type { CalendarDoc } from './days';
import { type Base, type Draft, edited, isDirty, rebased, redone, undone } from './draft';

/** Poll interval in milliseconds: the live connection does not report changes of calendars. */
const POLL = 15_000;

/** A calendar with the unsaved edits of this page. */
export function useCalendar(name: string) {
  const client = useQueryClient();
  const query = useQuery({ ...calendarQuery(name), refetchInterval: usePollInterval(POLL) });
  const [draft, setDraft] = useState<Draft>();
  const { data: calendar } = query;
  const newest = useMemo(
    (): Base | undefined => calendar && { number: calendar.revision, doc: calendar.doc },
    [calendar],
  );
  const unsaved = useMemo(() => (draft && isDirty(draft) ? draft : undefined), [draft]);
  const dirty = unsaved !== undefined;
  const doc = unsaved ? unsaved.doc : calendar?.doc;
  const base = unsaved ? unsaved.base : newest;
  const changes = useMemo(() => (base && doc ? changesOf(base.doc, doc) : { days: [], fields: [] }), [base, doc]);
  const edit = useCallback(
    (change: (doc: CalendarDoc) => CalendarDoc) => {
      if (newest) setDraft((before) => edited(before, newest, change));
    },
    [newest],
  );
  const undo = useCallback(() => {
    setDraft((before) => before && undone(before));
  }, []);
  const redo = useCallback(() => {
    setDraft((before) => before && redone(before));
  }, []);
  useUndoKeys(undo, redo);
  return {
    query,
    calendar,
    newest,
    base,
    doc,
    draft,
    dirty,
    changes,
    changed: useMemo(() => changedDays(changes), [changes]),
    /** Somebody else has saved a revision since the edits started. */
    moved: unsaved !== undefined && newest !== undefined && unsaved.base.number !== newest.number,
    edit,
    undo,
    redo,
    discard: () => {
      if (draft) edit(() => draft.base.doc);
    },
    /** Puts the edits on the newest revision. */
    rebaseDraft: () => {
      if (newest) setDraft((before) => before && rebased(before, newest));
    },
    /** Drops the edits. */
    forget: () => {
      setDraft(undefined);
    },
    /** Ends the edits after they were saved as a revision. */
    saved: async (doc: CalendarDoc, revision: number) => {
      const { queryKey } = calendarQuery(name);
      await client.cancelQueries({ queryKey });
      client.setQueryData(queryKey, (before) => before && { ...before, doc, revision });
      setDraft(undefined);
    },
  };
}

/** A calendar with the unsaved edits of the page, and the functions that change them. */
export type CalendarState = ReturnType<typeof useCalendar>;

/** Ctrl+Z undoes, and Ctrl+Shift+Z or Ctrl+Y redoes, unless the key belongs to an input or a dialog. */
function useUndoKeys(undo: () => void, redo: () => void): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { target } = event;
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.defaultPrevented) return;
      if (target instanceof Element && target.closest('input, textarea, [role="dialog"]')) return;
      const key = event.key.toLowerCase();
      const action = key === 'z' ? (event.shiftKey ? redo : undo) : key === 'y' ? redo : undefined;
      if (!action) return;
      event.preventDefault();
      action();
    };
    window.addEventListener('keydown', press);
    return () => {
      window.removeEventListener('keydown', press);
    };
  }, [undo, redo]);
}
