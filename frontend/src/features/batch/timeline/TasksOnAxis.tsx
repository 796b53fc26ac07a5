import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type CSSProperties, type ReactNode, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { type Definition, titlesOf } from '@/api/definition';
import { definitionQuery } from '@/api/queries';
import { toGraph } from '@/graph';
import { type Batch, type RunStore, useBatch, useLiveBatch } from '@/live';
import { ErrorNote, JobTitles, Moment, shownBatch, StateChip, TaskTitles, useShownZone } from '@/ui';
import { allowedToFail, jobTitlesOf } from '../summary';
import { linesOf } from './lines';
import { endOf } from './rows';
import type { Scale } from './scale';
import { TaskLine } from './TaskLine';
import { type TimelineData, useTimeline } from './useTimeline';
import styles from './TasksOnAxis.module.css';

/** How many tasks are shown below a batch. The timeline of the batch has all. */
const MOST = 40;

interface Axis {
  /** Milliseconds since 1970. */
  from: number;
  to: number;
  /** Pixels: the width of the axis, and the space before it. */
  width: number;
  left: number;
}

interface Props extends Axis {
  id: number;
  /** The button that folds the tasks. */
  close: ReactNode;
}

/** The tasks of one batch on an axis that it shares with other batches, failed ones first. */
export function TasksOnAxis({ id, close, ...axis }: Props) {
  const { store, error, retry } = useLiveBatch(id);
  const batch = useBatch(store);
  const definition = useQuery({
    ...definitionQuery(id, batch?.revision ?? 0),
    enabled: batch !== undefined,
    placeholderData: (before: Definition | undefined) => before,
  });
  const problem = error ?? definition.error;
  return (
    <div className={styles.tasks}>
      <Head id={id} batch={batch} close={close} />
      {problem !== null && problem !== undefined && <ErrorNote error={problem} retry={retry} />}
      {batch && definition.data ? (
        <Tasks batch={batch} store={store} definition={definition.data} axis={axis} />
      ) : (
        !problem && <Skeleton height={24} />
      )}
    </div>
  );
}

function Head({ id, batch, close }: { id: number; batch?: Batch; close: ReactNode }) {
  const { t } = useTranslation('timeline');
  return (
    <p className={styles.head}>
      {batch && <StateChip state={shownBatch(batch)} />}
      <Link to="/batches/$id" params={{ id }} search={{ view: 'timeline' }} preload={false}>
        {t('axis.open', { id })}
      </Link>
      {batch && <Moment at={batch.moment} schedule={batch.schedule} />}
      {close}
    </p>
  );
}

interface TasksProps {
  batch: Batch;
  store: RunStore;
  definition: Definition;
  axis: Axis;
}

function Tasks({ batch, store, definition, axis }: TasksProps) {
  const { t } = useTranslation('timeline');
  const navigate = useNavigate();
  const zone = useShownZone();
  const graph = useMemo(() => toGraph(definition), [definition]);
  const allowed = useMemo(() => allowedToFail(definition), [definition]);
  const whole = useTimeline({ batch, store, definition, graph, allowed });
  const { from, to, width, left } = axis;
  const data = useMemo(() => within(whole, from, to), [whole, from, to]);
  const scale = useMemo(() => linear(from, to, width), [from, to, width]);
  const drawing = useMemo(() => ({ data, scale, zone, narrow: true }), [data, scale, zone]);
  const lines = useMemo(() => {
    const shown = data.rows.map((row) => row.run);
    return linesOf(data.rows, { order: 'failed', shown, isFolded: () => false });
  }, [data.rows]);
  return (
    <TaskTitles value={titlesOf(definition)}>
      <JobTitles value={jobTitlesOf(definition)}>
        <div
          role="list"
          aria-label={t('axis.tasks', { id: batch.id })}
          style={{ '--name': `${String(left)}px`, '--columns': '0px', '--pad': '0px' } as CSSProperties}
        >
          {lines.slice(0, MOST).map(
            (line, index) =>
              line.kind === 'task' && (
                <div key={line.key} role="listitem" className={styles.line}>
                  <TaskLine
                    drawing={drawing}
                    index={index}
                    reachable
                    row={line.row}
                    selected={false}
                    onSelect={(task) =>
                      void navigate({
                        to: '/batches/$id',
                        params: { id: batch.id },
                        search: { view: 'timeline', task },
                      })
                    }
                  />
                </div>
              ),
          )}
        </div>
        {lines.length > MOST && (
          <p className={styles.more}>
            <Link to="/batches/$id" params={{ id: batch.id }} search={{ view: 'timeline' }} preload={false}>
              {t('axis.more', { count: lines.length - MOST })}
            </Link>
          </p>
        )}
      </JobTitles>
    </TaskTitles>
  );
}

/** The attempts that reach into a window. A bar outside would be drawn at its edge. */
function within(data: TimelineData, from: number, to: number): TimelineData {
  const rows = data.rows.map((row) => ({
    ...row,
    bars: row.bars.filter((bar) => endOf(bar, data.now) >= from && bar.from <= to),
  }));
  return { ...data, rows };
}

/** A scale without breaks. */
function linear(from: number, to: number, width: number): Scale {
  const part = (moment: number) => Math.max(0, Math.min(1, (moment - from) / (to - from)));
  return {
    pieces: [{ from, to, x0: 0, x1: width, pause: false }],
    x: (moment) => part(moment) * width,
    at: (x) => from + (x / Math.max(1, width)) * (to - from),
  };
}
