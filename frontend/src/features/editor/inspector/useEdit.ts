import { useCallback } from 'react';
import {
  editHead,
  editJob,
  editParams,
  editTasks,
  type Head,
  type JobHead,
  type Task,
  type TaskFields,
} from '@/document';
import { useEditor } from '../context';

/** Edits tasks. Typing into one field is one step of undo. */
export function useTaskEdit(keys: readonly string[]) {
  const { store } = useEditor();
  const keysText = keys.join(' ');
  return {
    set: (field: string, fields: TaskFields | ((task: Task) => TaskFields)) => {
      store.getState().apply(editTasks(store.getState().doc, keys, fields, `${keysText} ${field}`));
    },
    setParam: (name: string, value: unknown) => {
      store.getState().apply(editParams(store.getState().doc, keys, { [name]: value }, `${keysText} params.${name}`));
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

/** The value of a field for a text: undefined if the text is empty. */
export const unsetIfEmpty = (text: string): string | undefined => (text === '' ? undefined : text);

/** An object without its undefined members; undefined if no member is left. */
export function withoutUnset<T extends object>(value: T): T | undefined {
  const set = Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as T;
  return Object.keys(set).length > 0 ? set : undefined;
}
