import { Button, SegmentedControl } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { type CSSProperties, useCallback, useContext, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Definition } from '@/api/definition';
import type { TaskGraph } from '@/graph';
import { type Batch, type RunStore, taskKeyOf } from '@/live';
import { Empty, isPageKey, JobTitles, TaskTitles } from '@/ui';
import { type Filter, Filters } from '../Filters';
import { rowsToShow } from '../table';
import { Legend } from './Legend';
import { FOLD_ABOVE, type LineOrder, linesOf } from './lines';
import { Lines } from './Lines';
import { PathSum } from './PathSum';
import type { Row } from './rows';
import { expectedEnd, scaleOf } from './scale';
import { type TimelineData, useTimeline } from './useTimeline';
import styles from './Timeline.module.css';

interface Props {
  batch: Batch;
  store: RunStore;
  definition?: Definition;
  graph?: TaskGraph;
  /** The keys of the tasks whose failure is allowed. */
  allowed: ReadonlySet<string>;
  zone?: string;
  filter: Filter;
  onFilter: (filter: Filter) => void;
  selected?: string;
  onSelect: (task: string) => void;
}

/** Pixels: the width of names, of the columns at the right, and the space at both ends of the axis. */
const SIZES = {
  wide: { name: 206, columns: 132, pad: 12 },
  narrow: { name: 118, columns: 58, pad: 8 },
};

const ORDERS: readonly LineOrder[] = ['job', 'started', 'failed'];
const orderOf = (sort: string | undefined): LineOrder => ORDERS.find((order) => order === sort) ?? 'job';

/** When each task of a batch ran, what it waited for, when it usually runs, and what decided the end. */
export function Timeline(props: Props) {
  const { batch, zone, filter, onFilter, selected, onSelect } = props;
  const { t } = useTranslation(['timeline', 'batch']);
  const data = useTimeline(props);
  const { rows, now } = data;
  const { ref, width: total } = useElementSize();
  const narrow = total > 0 && total < 620;
  const sizes = narrow ? SIZES.narrow : SIZES.wide;
  const width = Math.max(0, total - sizes.name - sizes.columns - 2 * sizes.pad);
  const order = orderOf(filter.sort);
  const folds = useLines(data, filter, order, selected);
  const { lines, foldAll, allFolded, hasJobs } = folds;
  const scale = useScale(batch, data, width);
  if (!rows.some((row) => row.bars.length > 0) && !batch.live)
    return <p className={styles.empty}>{t('batch:timeline.empty')}</p>;
  return (
    <div
      className={styles.timeline}
      data-narrow={narrow || undefined}
      style={
        {
          '--name': `${String(sizes.name)}px`,
          '--columns': `${String(sizes.columns)}px`,
          '--pad': `${String(sizes.pad)}px`,
        } as CSSProperties
      }
    >
      <Tools {...{ data, filter, onFilter, order, hasJobs, allFolded, foldAll }} />
      {lines.length > 0 ? (
        <Lines
          {...{ data, lines, scale, width, narrow, zone, selected, onSelect }}
          toggle={folds.toggle}
          unfolded={folds.unfolded}
          toggleShards={folds.toggleShards}
          left={sizes.name + sizes.pad}
          sizeRef={ref}
        />
      ) : (
        <Empty title={t('batch:table.none')}>
          <Button
            onClick={() => {
              onFilter({ sort: filter.sort });
            }}
          >
            {t('batch:table.clear')}
          </Button>
        </Empty>
      )}
      {!narrow && <Legend hasUsual={data.usual.size > 0} live={now > 0} />}
    </div>
  );
}

/** The lines to show, and which jobs are folded. A search unfolds all jobs. */
function useLines(data: TimelineData, filter: Filter, order: LineOrder, selected: string | undefined) {
  const { rows } = data;
  const [tasks, jobs] = [useContext(TaskTitles), useContext(JobTitles)];
  const { q, only } = filter;
  const runs = useMemo(() => rows.map((row) => row.run), [rows]);
  const shown = useMemo(() => rowsToShow(runs, { q, only }, undefined, { tasks, jobs }), [runs, q, only, tasks, jobs]);
  const many = rows.length > FOLD_ABOVE;
  const jobOf = (task: string | undefined) => runs.find((run) => run.key === task)?.job;
  // Undefined: as the number of tasks says. The job of the task in the address is unfolded.
  const [base, setBase] = useState<boolean>();
  const [exceptions, setExceptions] = useState<ReadonlySet<string>>(() => {
    const job = jobOf(taskKeyOf(selected));
    return new Set(many && job !== undefined ? [job] : []);
  });
  const folds = base ?? many;
  const searches = !!q || !!only;
  const isFolded = useMemo(
    () => (job: string) => !searches && folds !== exceptions.has(job),
    [searches, folds, exceptions],
  );
  const { unfolded, toggleShards, shardsOf } = useUnfolded(data, selected);
  const lines = useMemo(
    () => linesOf(rows, { order, shown, isFolded, shardsOf }),
    [rows, order, shown, isFolded, shardsOf],
  );
  const heads = lines.filter((line) => line.kind === 'job');
  const toggle = (job: string) => {
    const next = new Set(exceptions);
    if (!next.delete(job)) next.add(job);
    setExceptions(next);
  };
  const foldAll = (fold: boolean) => {
    setBase(fold);
    setExceptions(new Set());
  };
  return {
    lines,
    toggle,
    unfolded,
    toggleShards,
    foldAll,
    allFolded: heads.length > 0 && heads.every((head) => head.folded),
    hasJobs: heads.length > 0 && !searches,
  };
}

/** The tasks whose shards have lines. That of a shard in the address has. */
function useUnfolded({ shardsOf: all }: TimelineData, selected: string | undefined) {
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(() => {
    const task = taskKeyOf(selected);
    return new Set(task && task !== selected ? [task] : []);
  });
  const shardsOf = useCallback((row: Row) => (unfolded.has(row.run.key) ? all(row) : []), [all, unfolded]);
  const toggleShards = (task: string) => {
    const next = new Set(unfolded);
    if (!next.delete(task)) next.add(task);
    setUnfolded(next);
  };
  return { unfolded, toggleShards, shardsOf };
}

/** A usual run that ends later is cut at this multiple of the real duration, so that the bars do not become tiny. */
const MOST_USUAL = 1.6;

/** The axis. It has space for the usual run of tasks that have not run. */
function useScale(batch: Batch, { rows, now, begin, usual }: TimelineData, width: number) {
  const until = expectedEnd(batch, now);
  const usualEnd = useMemo(() => Math.max(0, ...[...usual.values()].map((u) => u.begin + u.took)), [usual]);
  return useMemo(() => {
    const last = rows.reduce((end, { bars }) => bars.reduce((e, b) => Math.max(e, b.to ?? now), end), until);
    const start = begin ?? last;
    const withUsual = batch.round === 1 ? Math.min(start + usualEnd, start + (last - start) * MOST_USUAL) : 0;
    return scaleOf(rows, { begin, now, until: Math.max(until, withUsual), width });
  }, [batch.round, rows, now, begin, usualEnd, until, width]);
}

interface ToolsProps {
  data: TimelineData;
  filter: Filter;
  onFilter: (filter: Filter) => void;
  order: LineOrder;
  hasJobs: boolean;
  allFolded: boolean;
  foldAll: (fold: boolean) => void;
}

/** The search, the order, and the sum of the critical path. */
function Tools({ data, filter, onFilter, order, hasJobs, allFolded, foldAll }: ToolsProps) {
  const { t } = useTranslation('timeline');
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const find = (event: KeyboardEvent) => {
      if (event.key !== '/' || !isPageKey(event)) return;
      event.preventDefault();
      box.current?.querySelector('input')?.focus();
    };
    window.addEventListener('keydown', find);
    return () => {
      window.removeEventListener('keydown', find);
    };
  }, []);
  const runs = useMemo(() => data.rows.map((row) => row.run), [data.rows]);
  return (
    <div className={styles.tools} ref={box}>
      <Filters runs={runs} filter={filter} onFilter={onFilter} />
      <SegmentedControl
        size="xs"
        aria-label={t('order.label')}
        value={order}
        data={ORDERS.map((value) => ({ value, label: t(`order.${value}`) }))}
        onChange={(value) => {
          onFilter({ ...filter, sort: value === 'job' ? undefined : value });
        }}
      />
      {hasJobs && (
        <Button
          size="compact-sm"
          onClick={() => {
            foldAll(!allFolded);
          }}
        >
          {t(allFolded ? 'unfoldAll' : 'foldAll')}
        </Button>
      )}
      {data.path && <PathSum path={data.path} />}
    </div>
  );
}
