import { Tooltip } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import styles from './CountsBar.module.css';
import type { ShownState } from './states';

/** The number of task runs by state, from the API. */
export type Counts = Partial<Record<string, number>>;

/** A part of the bar. `count` is at least 1. */
export interface Segment {
  state: ShownState;
  count: number;
}

/** The order of the parts of a bar: good ends, other ends, running, waiting. */
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

/** The parts of a bar, in their order. States without runs are left out. */
export function segments(counts: Counts): Segment[] {
  return BAR_ORDER.flatMap((state) => {
    const count = counts[state] ?? 0;
    return count > 0 ? [{ state, count }] : [];
  });
}

/** The number of all task runs. Unknown states are not counted. */
export function totalCount(counts: Counts): number {
  return segments(counts).reduce((sum, s) => sum + s.count, 0);
}

/** The number of task runs that are done. In a succeeded batch all runs are done, including skipped ones. */
export function doneCount(counts: Counts, state: ShownState): number {
  return state === 'succeeded' ? totalCount(counts) : (counts.succeeded ?? 0) + (counts.ignored ?? 0);
}

/**
 * A bar with one part for each state, in the colour of the state. Its text is in the tooltip, and for screen readers.
 * Renders nothing without counts, and has the width of its container.
 */
export function CountsBar({ counts, height = 6 }: { counts?: Counts; height?: number }) {
  const { t } = useTranslation(['common', 'states']);
  const parts = segments(counts ?? {});
  if (parts.length === 0) return null;
  const text = parts
    .map((p) => t('common:countOf', { n: p.count, state: t(`states:${p.state}`) }))
    .join(t('common:listComma'));
  return (
    <Tooltip label={text}>
      <span className={styles.bar} style={{ height }} role="img" aria-label={text}>
        {parts.map((p) => (
          <i key={p.state} data-state={p.state} style={{ flexGrow: p.count }} />
        ))}
      </span>
    </Tooltip>
  );
}
