import type { components } from '@/api/schema';
import { shownState, type ShownState } from './states';
import styles from './ShardStrip.module.css';

type Shard = Pick<components['schemas']['ShardRun'], 'state' | 'notBefore'>;

/** Up to this many shards have a part of their own, in order. More share one part for each state. */
const SEPARATE = 24;

/** The states in the order of their shared parts: what has ended first. */
const ORDER: readonly ShownState[] = [
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

const DONE: ReadonlySet<string> = new Set(['succeeded', 'ignored', 'skipped']);

/** How many shards need nothing more, such as 3 of 5. */
export function doneShards(shards: readonly Shard[]): number {
  return shards.filter((s) => DONE.has(s.state)).length;
}

/** The parts of the strip: each has a state and a number of shards. */
export function stripOf(shards: readonly Shard[]): { state: ShownState; count: number }[] {
  const states = shards.map(shownState);
  if (states.length <= SEPARATE) return states.map((state) => ({ state, count: 1 }));
  return ORDER.map((state) => ({ state, count: states.filter((s) => s === state).length })).filter((p) => p.count > 0);
}

/** A line with the states of the shards of a task. The number of shards is written beside it. */
export function ShardStrip({ shards }: { shards: readonly Shard[] }) {
  return (
    <span className={styles.strip} aria-hidden="true">
      {stripOf(shards).map(({ state, count }, i) => (
        <i key={i} data-state={state} style={{ flexGrow: count }} />
      ))}
    </span>
  );
}
