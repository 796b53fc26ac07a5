import type { ShownState } from './states';

/** How many task runs are in which state, as the API tells it. */
export type Counts = Partial<Record<string, number>>;

/** One part of a bar; `count` is at least 1. */
export interface Segment {
  state: ShownState;
  count: number;
}

/** Order of the parts of a bar: what is done and good, what is done and not, what moves, what is to come. */
const BAR_ORDER: readonly ShownState[] = [
  'succeeded',
  'ignored',
  'skipped',
  'canceled',
  'failed',
  'unknown',
  'running',
  'retrying',
  'ready',
  'waiting',
];

/** The parts of a bar by state, in the order in which they are drawn; states that nothing is in are left out. */
export function segments(counts: Counts): Segment[] {
  return BAR_ORDER.flatMap((state) => {
    const count = counts[state] ?? 0;
    return count > 0 ? [{ state, count }] : [];
  });
}

/** How many there are in all. */
export function total(counts: Counts): number {
  return segments(counts).reduce((sum, s) => sum + s.count, 0);
}

/** How many task runs are done. In a batch that succeeded, all are, because what it skipped needs no attention. */
export function done(counts: Counts, state: ShownState): number {
  return state === 'succeeded' ? total(counts) : (counts.succeeded ?? 0) + (counts.ignored ?? 0);
}
