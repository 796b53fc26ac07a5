import { createContext, useCallback, useContext } from 'react';
import { exact } from './time';
import { ownZone, type ZoneChoice } from './zones';

/** The zone of the times of a view, and where it comes from. */
export interface ViewClock {
  choice: ZoneChoice;
  /** Undefined while the zone of the schedule is not known. */
  zone?: string;
  /** The zone of the schedule; undefined if the view has times of many. */
  scheduleZone?: string;
}

/** The clock of the view. Without it, times are in the zone of the browser. */
export const Clock = createContext<ViewClock>({ choice: 'mine' });

/** The clock of this view. */
export const useViewClock = (): ViewClock => useContext(Clock);

/** The zone of the times of this view; undefined for the zone of the browser. */
export const useShownZone = (): string | undefined => useContext(Clock).zone;

/** The function `exact` in the zone of this view. */
export function useExact(): (at: string | number, options?: { seconds?: boolean }) => string {
  const zone = useShownZone();
  return useCallback((at, options) => exact(at, { zone, ...options }), [zone]);
}

/** The zones of interest for a moment: that of the browser, that of the schedule, and UTC. */
export const zonesOf = (scheduleZone?: string): string[] => [
  ...new Set([ownZone(), ...(scheduleZone ? [scheduleZone] : []), 'UTC']),
];
