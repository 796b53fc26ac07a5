import type { Scale } from './scale';
import type { TimelineData } from './useTimeline';

/** What lines need to draw themselves. It changes only if the drawing does. */
export interface Drawing {
  data: TimelineData;
  scale: Scale;
  zone?: string;
  narrow: boolean;
}
