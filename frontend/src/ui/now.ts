import { useSyncExternalStore } from 'react';

/** How far the server's clock is ahead of this one, in milliseconds: the live connection tells it. */
let ahead = 0;
let tick = Date.now();
let frozenAt: number | undefined;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** Notes the server's clock, so that running times are right on a machine whose clock is wrong. */
export function noteServerClock(server: string): void {
  ahead = new Date(server).getTime() - Date.now();
}

/** The server's time now, in milliseconds since 1970. */
export function serverNow(): number {
  return Date.now() + ahead;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    tick = serverNow();
    listeners.forEach((l) => {
      l();
    });
  }, 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  };
}

/**
 * Stops the clocks of running tasks, or lets them go on. Without a connection to the server it is unknown whether they
 * still run, so their clocks stand still.
 */
export function freezeNow(freeze: boolean): void {
  if (freeze === (frozenAt !== undefined)) return;
  frozenAt = freeze ? serverNow() : undefined;
  listeners.forEach((l) => {
    l();
  });
}

/**
 * The time of the last tick. Without a running timer, a tick that is more than a second off is renewed here. Two reads
 * in one rendering must return the same number, so the time itself is not returned.
 */
function current(): number {
  if (!timer && Math.abs(serverNow() - tick) >= 1000) tick = serverNow();
  return tick;
}

/** The server's time, renewed once a second for all who show how long something has been running; see holdNow. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => frozenAt ?? current());
}

/** The server's time, renewed once a second, whether it is heard or not: for how long ago something was. */
export function useClock(): number {
  return useSyncExternalStore(subscribe, current);
}
