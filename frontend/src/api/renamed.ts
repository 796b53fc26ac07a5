type Listener = (former: string, to: string) => void;

const listeners = new Set<Listener>();

/** Calls the listener when it is known that a schedule was renamed. The returned function removes the listener. */
export function onRenamed(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Tells all parts of the page that a schedule was renamed, so that they go on under its new name. */
export function announceRename(former: string, to: string): void {
  listeners.forEach((listener) => {
    listener(former, to);
  });
}
