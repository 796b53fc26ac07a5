import { useSyncExternalStore } from 'react';

/** Which times stand before the lines: those of the clock, those since the start of the attempt, or none. */
export type Times = 'clock' | 'since' | 'none';
/** How a reader wants logs to be shown; kept in this browser for all logs. */
export interface LogPrefs {
  wrap: boolean;
  times: Times;
}

const KEPT = 'hivego.log';
const TIMES: readonly unknown[] = ['clock', 'since', 'none'];
const listeners = new Set<() => void>();
let prefs: LogPrefs | undefined;

function read(): LogPrefs {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT) ?? '{}') as Partial<LogPrefs>;
    return { wrap: kept.wrap !== false, times: TIMES.includes(kept.times) ? (kept.times as Times) : 'clock' };
  } catch {
    return { wrap: true, times: 'clock' };
  }
}

function change(next: Partial<LogPrefs>): void {
  prefs = { ...(prefs ?? read()), ...next };
  try {
    localStorage.setItem(KEPT, JSON.stringify(prefs));
  } catch {
    // A browser that keeps nothing: it holds until the page is left.
  }
  listeners.forEach((l) => {
    l();
  });
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** How this reader likes logs to look; kept in the browser. */
export function useLogPrefs(): [LogPrefs, (next: Partial<LogPrefs>) => void] {
  return [useSyncExternalStore(subscribe, () => (prefs ??= read())), change];
}
