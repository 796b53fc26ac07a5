/** A short notice that something has happened, or that it could not be done. */
export interface Toast {
  id: number;
  text: string;
  /** An error stays until it is dismissed; anything else goes by itself. */
  error?: boolean;
}

let list: readonly Toast[] = [];
let last = 0;
const listeners = new Set<() => void>();

function set(next: readonly Toast[]): void {
  list = next;
  listeners.forEach((l) => {
    l();
  });
}

/** At most so many are shown; older ones make room. */
const MOST = 3;

/** Shows a notice at the foot of the page. A notice with the same text replaces the earlier one. */
export function toast(text: string, options: { error?: boolean } = {}): void {
  const others = list.filter((one) => one.text !== text || (one.error ?? false) !== (options.error ?? false));
  set([...others, { id: ++last, text, ...options }].slice(-MOST));
}

/** Takes a notice away; nothing happens if it is gone already. */
export function dismissToast(id: number): void {
  set(list.filter((one) => one.id !== id));
}

/** Calls a listener after each change of the notices, until the returned function is called. */
export function subscribeToasts(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The notices that are shown, oldest first. The list is replaced by each change, never modified. */
export function getToasts(): readonly Toast[] {
  return list;
}
