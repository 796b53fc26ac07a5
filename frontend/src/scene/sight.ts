import { type Band, bandOf, seen, type Size, type View } from './camera';
import { COME, nextSeats, NOBODY, type Seats } from './seats';
import type { Layout } from './types';

/** What of a scene stands on the page. */
export interface Sight {
  /** Of lanes, their heads and their edges. */
  band: Band;
  seats: Seats;
  /** Lanes came last. */
  busy: boolean;
}

/**
 * What stands on the page in the next frame. While the view moves there is room in it for little: where lanes come, cards
 * wait for the one after.
 */
export function nextSight(before: Sight | undefined, layout: Layout, view: View, screen: Size, still = false): Sight {
  const found = bandOf(view, screen);
  const same = before?.band.top === found.top && before.band.bottom === found.bottom;
  // Never twice: a view that moves fast has lanes coming in each frame.
  const busy = before !== undefined && !same && !before.busy;
  const room = still ? COME.still : busy ? 0 : COME.moving;
  return {
    band: same ? before.band : found,
    seats: nextSeats(before?.seats ?? NOBODY, layout, seen(view, screen), room),
    busy,
  };
}
