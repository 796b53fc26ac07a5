import { createStore, type StoreApi } from 'zustand/vanilla';
import { type DocumentState, type DocumentStore, positionsOf, taskOf } from '@/document';

type Touched = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Tasks that were just added, by key, each with the fields that have lost the focus since. An empty field that never
 * lost the focus is not shown as a fault yet.
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

/** Notes that a field of a task lost the focus. It has no effect on a task that is not among the added ones. */
export function touchField(pristine: PristineFields | undefined, task: string, field: string): void {
  const touched = pristine?.getState();
  const fields = touched?.get(task);
  if (fields && !fields.has(field)) {
    pristine?.setState(new Map([...(touched ?? []), [task, new Set([...fields, field])]]), true);
  }
}

function next(touched: Touched, now: DocumentState, before: DocumentState): Touched {
  const [positionsBefore, positionsNow] = [positionsOf(before.doc), positionsOf(now.doc)];
  const added = addedKeys(touched, now, positionsBefore, positionsNow);
  const renamed = positionsNow.size === positionsBefore.size && added.length === 1 ? added[0] : undefined;
  const nextTouched = new Map<string, ReadonlySet<string>>();
  for (const [key, left] of touched) {
    const deselected = before.selection.tasks.includes(key) && !now.selection.tasks.includes(key);
    if (positionsNow.has(key)) {
      if (!deselected) nextTouched.set(key, left);
    } else if (renamed !== undefined) nextTouched.set(renamed, left);
  }
  if (renamed === undefined) {
    for (const key of added)
      if (Object.keys(taskOf(now.doc, key)?.params ?? {}).length === 0) nextTouched.set(key, new Set());
  }
  const same = nextTouched.size === touched.size && [...nextTouched].every(([key, left]) => touched.get(key) === left);
  return same ? touched : nextTouched;
}

type Positions = ReturnType<typeof positionsOf>;

/**
 * The keys of the tasks that this step adds; none if the step replaces the whole document, by its text or by a merge.
 */
function addedKeys(
  touched: Touched,
  now: DocumentState,
  positionsBefore: Positions,
  positionsNow: Positions,
): string[] {
  const replaced = now.step.some((op) => op.op === 'all');
  if (positionsBefore === positionsNow || replaced || (positionsNow.size <= positionsBefore.size && touched.size === 0))
    return [];
  return [...positionsNow.keys()].filter((key) => !positionsBefore.has(key));
}
