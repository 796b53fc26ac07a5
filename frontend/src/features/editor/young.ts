import { useMemo } from 'react';
import { useStore } from 'zustand';
import { createStore, type StoreApi } from 'zustand/vanilla';
import { type DocFault, type DocumentState, type DocumentStore, placesOf, taskOf } from '@/document';
import { useEditor } from './context';

type Ages = ReadonlyMap<string, ReadonlySet<string>>;

/** Tasks that were just added, by their keys, with the fields that were left since: what is empty in the others was not forgotten. */
export type Young = StoreApi<Ages>;

export const newYoung = (): Young => createStore<Ages>(() => new Map());

/** Notes what tasks are added from now on, until what is answered is called. They are young as long as they are not turned away from. */
export function watchYoung(store: DocumentStore, young: Young): () => void {
  return store.subscribe((now, before) => {
    young.setState(next(young.getState(), now, before), true);
  });
}

/** From now on whatever is empty is said to be. */
export function grownUp(young: Young | undefined): void {
  young?.setState(new Map(), true);
}

export function leaveField(young: Young | undefined, task: string, field: string): void {
  const known = young?.getState();
  const left = known?.get(task);
  if (left && !left.has(field)) young?.setState(new Map([...(known ?? []), [task, new Set([...left, field])]]), true);
}

function next(known: Ages, now: DocumentState, before: DocumentState): Ages {
  const [was, is] = [placesOf(before.doc), placesOf(now.doc)];
  const whole = now.step.some((op) => op.op === 'all'); // written as text, or brought by others
  const come =
    was === is || whole || (is.size <= was.size && known.size === 0)
      ? []
      : [...is.keys()].filter((key) => !was.has(key));
  const renamed = is.size === was.size && come.length === 1 ? come[0] : undefined;
  const made = new Map<string, ReadonlySet<string>>();
  for (const [key, left] of known) {
    const away = before.selection.tasks.includes(key) && !now.selection.tasks.includes(key);
    if (is.has(key)) {
      if (!away) made.set(key, left);
    } else if (renamed !== undefined) made.set(renamed, left);
  }
  if (renamed === undefined) {
    for (const key of come) if (Object.keys(taskOf(now.doc, key)?.params ?? {}).length === 0) made.set(key, new Set());
  }
  const same = made.size === known.size && [...made].every(([key, left]) => known.get(key) === left);
  return same ? known : made;
}

const NONE = newYoung();

/** Faults of a task without those that say of a young one what nobody had the time to write. */
export function useRipe(
  task: string,
  faults: readonly DocFault[],
  fieldOf: (fault: DocFault) => string,
): readonly DocFault[] {
  const left = useStore(useEditor().young ?? NONE, (ages) => ages.get(task));
  return useMemo(
    () =>
      left
        ? faults.filter(
            (fault) =>
              fault.code !== 'missing_field' || !fieldOf(fault).startsWith('params.') || left.has(fieldOf(fault)),
          )
        : faults,
    [faults, left, fieldOf],
  );
}
