import { createStore, type StoreApi } from 'zustand/vanilla';
import { type DocumentState, type DocumentStore, placesOf, taskOf } from '@/document';

type Touched = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Tasks that were just added, by key, each with the fields that the author has left since. An empty field that the
 * author has not left yet was not forgotten, so it is not yet shown as a fault.
 */
export type PristineFields = StoreApi<Touched>;

/** Makes an empty store. Call `watchPristineFields` to fill it as tasks are added. */
export const newPristineFields = (): PristineFields => createStore<Touched>(() => new Map());

/**
 * Adds each task that the author adds from now on, until the returned function is called. A task is removed once it is
 * deselected.
 */
export function watchPristineFields(store: DocumentStore, pristine: PristineFields): () => void {
  return store.subscribe((now, before) => {
    pristine.setState(next(pristine.getState(), now, before), true);
  });
}

/** Shows every empty field as a fault from now on. */
export function touchAll(pristine: PristineFields | undefined): void {
  pristine?.setState(new Map(), true);
}

/** Notes that the author left a field of a task. It has no effect on a task that is not among the added ones. */
export function touchField(pristine: PristineFields | undefined, task: string, field: string): void {
  const known = pristine?.getState();
  const left = known?.get(task);
  if (left && !left.has(field)) {
    pristine?.setState(new Map([...(known ?? []), [task, new Set([...left, field])]]), true);
  }
}

function next(known: Touched, now: DocumentState, before: DocumentState): Touched {
  const [was, is] = [placesOf(before.doc), placesOf(now.doc)];
  const added = addedKeys(known, now, was, is);
  const renamed = is.size === was.size && added.length === 1 ? added[0] : undefined;
  const made = new Map<string, ReadonlySet<string>>();
  for (const [key, left] of known) {
    const deselected = before.selection.tasks.includes(key) && !now.selection.tasks.includes(key);
    if (is.has(key)) {
      if (!deselected) made.set(key, left);
    } else if (renamed !== undefined) made.set(renamed, left);
  }
  if (renamed === undefined) {
    for (const key of added) if (Object.keys(taskOf(now.doc, key)?.params ?? {}).length === 0) made.set(key, new Set());
  }
  const same = made.size === known.size && [...made].every(([key, left]) => known.get(key) === left);
  return same ? known : made;
}

type Places = ReturnType<typeof placesOf>;

/**
 * The keys of the tasks that this step adds; none if the step replaces the whole document, by its text or by a merge.
 */
function addedKeys(known: Touched, now: DocumentState, was: Places, is: Places): string[] {
  const replaced = now.step.some((op) => op.op === 'all');
  if (was === is || replaced || (is.size <= was.size && known.size === 0)) return [];
  return [...is.keys()].filter((key) => !was.has(key));
}
