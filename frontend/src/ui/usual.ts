/** When a task usually runs, in milliseconds after the start of the batch, and how long it takes. */
export interface UsualRun {
  begin: number;
  took: number;
  /** At most five of a hundred took longer; undefined if that is not known. */
  most?: number;
}

/** A run is not slow if it took only this much longer than most: its text could not show the difference. */
const LEAST = 1000;

/** Whether a duration in milliseconds is longer than almost all before it. */
export const isSlow = (ms: number, usual: UsualRun | undefined): boolean =>
  usual?.most !== undefined && ms >= usual.most + LEAST;
