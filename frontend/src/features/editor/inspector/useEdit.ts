import { useCallback } from 'react';
import { editHead, editJob, editParams, editTasks, type Head, type JobHead, type Task } from '@/document';
import { useEditor } from '../context';

/** Edits tasks: what is typed into one field of them is one step to undo. */
export function useTaskEdit(keys: readonly string[]) {
  const { store } = useEditor();
  const of = keys.join(' ');
  return {
    set: (field: string, fields: Partial<Omit<Task, 'key'>>) => {
      store.getState().apply(editTasks(store.getState().doc, keys, fields, `${of} ${field}`));
    },
    setParam: (name: string, value: unknown) => {
      store.getState().apply(editParams(store.getState().doc, keys, { [name]: value }, `${of} params.${name}`));
    },
  };
}

/** Edits a job. */
export function useJobEdit(key: string) {
  const { store } = useEditor();
  return (field: string, fields: Partial<JobHead>) => {
    store.getState().apply(editJob(store.getState().doc, key, fields, `job ${key} ${field}`));
  };
}

/** Edits the schedule itself. */
export function useHeadEdit() {
  const { store } = useEditor();
  return useCallback(
    (field: string, fields: Partial<Head>) => {
      store.getState().apply(editHead(store.getState().doc, fields, `head ${field}`));
    },
    [store],
  );
}

/** A text as a field of the document has it: none if it is empty. */
export const textOr = (text: string): string | undefined => (text === '' ? undefined : text);

/** An object without the members that are not set; undefined if none is. */
export function some<T extends object>(value: T): T | undefined {
  const left = Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as T;
  return Object.keys(left).length > 0 ? left : undefined;
}
