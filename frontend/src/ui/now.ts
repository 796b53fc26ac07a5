import { useEffect, useSyncExternalStore } from 'react';

/** How far the clock of the server is ahead of the local clock, in milliseconds. The live connection reports it. */
let serverOffset = 0;
let tick = Date.now();
let frozenAt: number | undefined;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** Notes the time of the server, so that durations are correct even if the local clock is not. */
export function noteServerClock(server: string): void {
  serverOffset = new Date(server).getTime() - Date.now();
}

/** The current time of the server, in milliseconds since 1970. */
export function serverNow(): number {
  return Date.now() + serverOffset;
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
 * Stops or restarts the time of useNow. Without a connection to the server it is unknown whether tasks still run, so
 * their durations do not grow.
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

/** The time of the server, updated once a second, for durations of running tasks. freezeNow stops it. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => frozenAt ?? current());
}

/** The time of the server, updated once a second, for the age of past moments. freezeNow does not stop it. */
export function useClock(): number {
  return useSyncExternalStore(subscribe, current);
}

/** The server has decided a tick this long after its moment, in milliseconds. */
const DECISION_DELAY = 1_500;
/** The longest timer of browsers, in milliseconds. A later moment needs none. */
const LONGEST_TIMER = 2_000_000_000;

/** Calls `act` once the server has decided the tick of a moment. `act` must be the same function in every render. */
export function useOnceDecided(moment: string | undefined, act: () => void): void {
  useEffect(() => {
    if (moment === undefined) return undefined;
    const wait = Math.max(0, new Date(moment).getTime() - serverNow()) + DECISION_DELAY;
    if (wait > LONGEST_TIMER) return undefined;
    const timer = setTimeout(act, wait);
    return () => {
      clearTimeout(timer);
    };
  }, [moment, act]);
}
