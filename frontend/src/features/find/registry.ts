import { createContext, useContext, useEffect, useState } from 'react';

/** Something that can be done or opened now. */
export interface PageCommand {
  /** Unique in the page. */
  id: string;
  label: string;
  /** `page` and `setting` are those of the frame; the others are actions of the present page. */
  group?: 'page' | 'setting';
  /** Its key, as in `G B`. A sequence that begins with G is handled for all pages. */
  keys?: string;
  /** More words by which it is found. */
  words?: readonly string[];
  run: () => void;
}

/** A task of the graph that is open. */
interface OpenTask {
  key: string;
  title?: string;
}

/** What a page offers while it is shown. */
export interface PageParts {
  commands?: readonly PageCommand[];
  tasks?: readonly OpenTask[];
  /** Shows a task. Needed if there are tasks. */
  openTask?: (key: string) => void;
  /** What the page offers for a schedule that was found. */
  forSchedule?: (name: string) => readonly PageCommand[];
  /** The keys of the page's view. `picture` is a picture of marks in time, `search` a field that `/` focuses. */
  keySet?: 'canvas' | 'graph' | 'grid' | 'timeline' | 'picture' | 'search';
}

/** What the pages and their frame offer now. */
export interface Registry {
  set: (owner: object, parts: PageParts) => void;
  remove: (owner: object) => void;
  subscribe: (listener: () => void) => () => void;
  /** The list is replaced by each change, never modified. */
  list: () => readonly PageParts[];
}

/** Creates an empty registry. */
export function newRegistry(): Registry {
  const parts = new Map<object, PageParts>();
  const listeners = new Set<() => void>();
  let list: readonly PageParts[] = [];
  const changed = () => {
    list = [...parts.values()];
    listeners.forEach((listener) => {
      listener();
    });
  };
  return {
    set: (owner, part) => {
      parts.set(owner, part);
      changed();
    },
    remove: (owner) => {
      parts.delete(owner);
      changed();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    list: () => list,
  };
}

/** The registry, and what opens the command bar and the list of keys. */
export interface Find {
  registry: Registry;
  openBar: () => void;
  openKeys: () => void;
}

const nothing = () => undefined;
const NOTHING: Registry = { set: nothing, remove: nothing, subscribe: () => nothing, list: () => [] };

/** Without a provider, as in tests of a page, nothing is registered and nothing opens. */
export const FindContext = createContext<Find>({ registry: NOTHING, openBar: nothing, openKeys: nothing });

/** What opens the command bar and the list of keys. */
export function useFind(): Pick<Find, 'openBar' | 'openKeys'> {
  return useContext(FindContext);
}

/** Offers the parts of a page in the command bar while the component is mounted. Each render replaces them. */
export function useCommands(parts: PageParts): void {
  const { registry } = useContext(FindContext);
  const [owner] = useState(() => ({}));
  useEffect(() => {
    registry.set(owner, parts);
  });
  useEffect(
    () => () => {
      registry.remove(owner);
    },
    [registry, owner],
  );
}
