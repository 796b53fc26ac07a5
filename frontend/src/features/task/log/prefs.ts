import { useSyncExternalStore } from 'react';

/** The times before the lines: of the clock, since the start of the attempt, or none. */
export type Times = 'clock' | 'since' | 'none';
/** How a user wants logs to be shown. Stored in the browser, for all logs. */
export interface LogPrefs {
  wrap: boolean;
  times: Times;
  /** The user has chosen the times: a narrow log shows them only then. */
  chosen: boolean;
}

const STORAGE_KEY = 'hivego.log';
const TIMES: readonly unknown[] = ['clock', 'since', 'none'];
const listeners = new Set<() => void>();
let prefs: LogPrefs | undefined;

function read(): LogPrefs {
  try {
    const stored = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '{}') as Partial<LogPrefs>;
    return {
      wrap: stored.wrap !== false,
      times: TIMES.includes(stored.times) ? (stored.times as Times) : 'clock',
      chosen: stored.chosen === true,
    };
  } catch {
    return { wrap: true, times: 'clock', chosen: false };
  }
}

function change(next: Partial<LogPrefs>): void {
  prefs = { ...(prefs ?? read()), ...next };
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(prefs));
  } catch {
    // The browser stores nothing: the preference lasts until the page is closed.
  }
  listeners.forEach((l) => {
    l();
  });
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The preferences of the user, and the function that changes some of them. */
export function useLogPrefs(): [LogPrefs, (next: Partial<LogPrefs>) => void] {
  return [useSyncExternalStore(subscribe, () => (prefs ??= read())), change];
}
