import { useSyncExternalStore } from 'react';

/** The zone in which pages show times: that of the schedule, that of the browser, or UTC. */
export type ZoneChoice = 'schedule' | 'mine' | 'utc';

const STORAGE_KEY = 'hivego.zone';
const CHOICES: readonly unknown[] = ['schedule', 'mine', 'utc'] satisfies ZoneChoice[];
const listeners = new Set<() => void>();
let choice: ZoneChoice | null | undefined;

/** The zone of the browser. */
export const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

function read(): ZoneChoice | null {
  if (choice === undefined) {
    const stored = localStorage.getItem(STORAGE_KEY);
    choice = CHOICES.includes(stored) ? (stored as ZoneChoice) : null;
  }
  return choice;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Sets the choice for all pages, and stores it in this browser. */
export function chooseZone(next: ZoneChoice): void {
  choice = next;
  localStorage.setItem(STORAGE_KEY, next);
  listeners.forEach((listener) => {
    listener();
  });
}

/**
 * The choice of the user, and its zone. A page with times of one schedule has its zone; without one, or without a
 * choice, `otherwise` applies.
 */
export function useZone(
  scheduleZone: string | undefined,
  otherwise: 'schedule' | 'mine',
): [ZoneChoice, string | undefined] {
  const chosen = useSyncExternalStore(subscribe, read) ?? otherwise;
  const possible = chosen === 'schedule' && otherwise === 'mine' ? 'mine' : chosen;
  return [possible, zoneOf(possible, scheduleZone)];
}

/** The zone of a choice; undefined while the zone of the schedule is not known. */
export function zoneOf(choice: ZoneChoice, scheduleZone: string | undefined): string | undefined {
  if (choice === 'schedule') return scheduleZone;
  return choice === 'utc' ? 'UTC' : ownZone();
}
