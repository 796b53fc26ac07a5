import { Tooltip } from '@mantine/core';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { Glyph, isDeclared, shownState, useTaskName, useTook } from '@/ui';
import type { Drawing } from './drawing';
import type { ShardLine as Line } from './lines';
import { endOf } from './rows';
import { timeOf } from './scale';
import styles from './ShardLine.module.css';
import timelineStyles from './Timeline.module.css';
import { useBarText } from './words';

interface Props {
  drawing: Drawing;
  line: Line;
  index: number;
  reachable: boolean;
  selected: boolean;
  onSelect: (task: string) => void;
}

/** A shard of a task: its attempts, and the executor that it ran on. */
export const ShardLine = memo(function ShardLine({ drawing, line, index, reachable, selected, onSelect }: Props) {
  const { data, scale, zone, narrow } = drawing;
  const { run, bars } = line.shard;
  const { t } = useTranslation(['timeline', 'states']);
  const name = useTaskName(run.key);
  const barText = useBarText(zone);
  const took = useTook();
  const state = shownState(run);
  const [first, last] = [bars[0], bars.at(-1)];
  const duration = last && took(endOf(last, data.now) - last.from, last.to === undefined);
  return (
    <button
      type="button"
      className={`${timelineStyles.line ?? ''} ${styles.shard ?? ''}`}
      data-index={index}
      data-state={state}
      aria-pressed={selected}
      aria-label={[
        `${name}: ${t(`states:${state}`)}`,
        first && t('label.started', { at: timeOf(first.from, zone) }),
        duration && t('label.took', { time: duration }),
        run.executor,
      ]
        .filter(Boolean)
        .join(', ')}
      tabIndex={reachable ? 0 : -1}
      onClick={() => {
        onSelect(run.key);
      }}
    >
      <span className={`${timelineStyles.name ?? ''} ${styles.name ?? ''}`}>
        <Glyph state={state} size={15} byPerson={isDeclared(run)} />
        <bdi>{name}</bdi>
      </span>
      <span className={timelineStyles.area}>
        {bars.map((bar) => {
          const x = scale.x(bar.from);
          return (
            <Tooltip key={bar.from} label={barText(bar, data.now)} multiline maw={340}>
              <i
                className={timelineStyles.bar}
                data-state={bar.state}
                style={{ left: x, width: Math.max(3, scale.x(endOf(bar, data.now)) - x) }}
              />
            </Tooltip>
          );
        })}
      </span>
      <span className={timelineStyles.columns}>
        <span>{duration}</span>
        {!narrow && <span className={timelineStyles.usually}>{run.executor}</span>}
      </span>
    </button>
  );
});

interface UnfoldProps {
  task: string;
  /** That of the line: arrow keys go on from there. */
  index: number;
  unfolded: boolean;
  narrow: boolean;
  reachable: boolean;
  onToggle: (task: string) => void;
}

/** The button at the line of a task that shows and hides the lines of its shards. */
export function Unfold({ task, index, unfolded, narrow, reachable, onToggle }: UnfoldProps) {
  const { t } = useTranslation('batch');
  const name = useTaskName(task);
  return (
    <button
      type="button"
      className={styles.unfold}
      data-index={index}
      data-narrow={narrow || undefined}
      aria-expanded={unfolded}
      aria-label={t('table.shards', { task: name })}
      tabIndex={reachable ? 0 : -1}
      onClick={() => {
        onToggle(task);
      }}
    >
      <svg viewBox="0 0 8 8" width={8} height={8} aria-hidden="true" data-folded={!unfolded}>
        <path d="M1 2l3 4 3-4z" fill="currentColor" />
      </svg>
    </button>
  );
}
