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

function notify(): void {
  tick = serverNow();
  listeners.forEach((l) => {
    l();
  });
}

/** Starts the timer, or stops it while nobody listens or the page is hidden. A page that is shown ticks at once. */
function adjustTimer(): void {
  const wanted = listeners.size > 0 && document.visibilityState !== 'hidden';
  if (wanted === (timer !== undefined)) return;
  clearInterval(timer);
  timer = wanted ? setInterval(notify, 1000) : undefined;
  if (wanted && Math.abs(serverNow() - tick) >= 1000) notify();
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) document.addEventListener('visibilitychange', adjustTimer);
  listeners.add(listener);
  adjustTimer();
  return () => {
    listeners.delete(listener);
    adjustTimer();
    if (listeners.size === 0) document.removeEventListener('visibilitychange', adjustTimer);
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

const SECOND = 1000;

/** A time in steps: the component renders again only with the next step. */
const inSteps = (at: number, step: number) => (step > SECOND ? Math.floor(at / step) * step : at);

/**
 * The time of the server, for durations of running tasks. It is updated once a second, or rounded down to a multiple of
 * `step` milliseconds. freezeNow stops it.
 */
export function useNow(step = SECOND): number {
  return useSyncExternalStore(subscribe, () => inSteps(frozenAt ?? current(), step));
}

/** The same for the age of past moments. freezeNow does not stop it. */
export function useClock(step = SECOND): number {
  return useSyncExternalStore(subscribe, () => inSteps(current(), step));
}

/** The server has decided a tick this long after its moment, in milliseconds. */
const DECISION_DELAY = 1_500;

/**
 * Calls `act` once the server has decided the tick of a moment, or when the page is shown again after it. `act` must be
 * the same function in every render. A timer for the moment would be late by the time that the computer has slept.
 */
export function useOnceDecided(moment: string | undefined, act: () => void): void {
  useEffect(() => {
    if (moment === undefined) return undefined;
    const due = Math.max(new Date(moment).getTime(), serverNow()) + DECISION_DELAY;
    const stop = subscribe(() => {
      if (serverNow() < due) return;
      stop();
      act();
    });
    return stop;
  }, [moment, act]);
}
