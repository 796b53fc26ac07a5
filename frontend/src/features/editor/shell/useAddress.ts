import { useEffect, useRef } from 'react';
import { jobOf, type Selection, taskOf } from '@/document';
import { useDoc, useEditor } from '../context';

/** What of a selection an address can name: one task, or a job. */
const named = ({ tasks, job, edge }: Selection) => ({ task: tasks.length === 1 && !edge ? tasks[0] : undefined, job });
const text = ({ task, job }: { task?: string; job?: string }) => `${task ?? ''}|${job ?? ''}`;

/** Keeps what is selected and what the address names the same, whichever of them changes. Not in the drawer: that comes later than the first click may. */
export function useAddress(): void {
  const {
    store,
    search: { task, job },
    goTo,
  } = useEditor();
  const selection = useDoc((s) => s.selection);
  const agreed = useRef(text({}));
  useEffect(() => {
    const wanted = text({ task, job });
    if (wanted === agreed.current) return;
    agreed.current = wanted;
    const { doc, select, selection: now } = store.getState();
    if (wanted === text(named(now))) return;
    if (task !== undefined && taskOf(doc, task)) select({ tasks: [task] });
    else if (job !== undefined && jobOf(doc, job)) select({ tasks: [], job });
    else select({ tasks: [] });
  }, [store, task, job]);
  useEffect(() => {
    const now = named(store.getState().selection);
    if (text(now) === agreed.current) return;
    agreed.current = text(now);
    goTo(now, { replace: true });
  }, [store, selection, goTo]);
}
