import { Button, Checkbox, CloseButton } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useVirtualizer } from '@tanstack/react-virtual';
import {
  type KeyboardEvent,
  type RefObject,
  useCallback,
  useContext,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { shardsOf, taskKeyOf, type TaskRun } from '@/live';
import { Empty, JobTitles, NeedsServer, TaskTitles, type UsualRun } from '@/ui';
import { type Filter, Filters } from './Filters';
import { type Column, COLUMNS, nextOrder, orderOf, rowsToShow } from './table';
import { TableRow } from './TableRow';
import styles from './Table.module.css';

interface Props {
  /** When the tasks usually run, by key; left out for the past. */
  usual?: ReadonlyMap<string, UsualRun>;
  runs: readonly TaskRun[];
  filter: Filter;
  onFilter: (filter: Filter) => void;
  selected?: string;
  onSelect: (task: string) => void;
  /** Undefined for the past, which cannot be repaired. Rows can then not be marked. */
  onRepair?: (request: Schemas['RepairRequest']) => void;
}

/** Height of a row (pixels), by the kind of the pointer. The style sheet has the same heights. */
const ROW_HEIGHT = { fine: 34, coarse: 44 };
const COARSE = '(pointer: coarse), (max-width: 600px)';

/** All task runs as a table that can be searched and sorted, with repairs of several runs at once. */
export function Table({ runs, usual, filter, onFilter, selected, onSelect, onRepair }: Props) {
  const { t } = useTranslation('batch');
  const [tasks, jobs] = [useContext(TaskTitles), useContext(JobTitles)];
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(() => {
    const task = taskKeyOf(selected);
    return new Set(task !== selected && task ? [task] : []); // the address names a shard
  });
  const found = useMemo(
    () => rowsToShow(runs, filter, orderOf(filter.sort), { tasks, jobs }),
    [runs, filter, tasks, jobs],
  );
  const rows = useMemo(
    () =>
      unfolded.size === 0 ? found : found.flatMap((run) => (unfolded.has(run.key) ? [run, ...shardsOf(run)] : run)),
    [found, unfolded],
  );
  const unfold = useCallback((task: string, on: boolean) => {
    setUnfolded((before) => new Set(on ? [...before, task] : [...before].filter((key) => key !== task)));
  }, []);
  const chosenTask = taskKeyOf(selected);
  const { marked, selection, mark, setAll } = useMarks(rows);
  const scroller = useRef<HTMLDivElement>(null);
  const { virtual, current, onKeyDown } = useRowFocus(scroller, rows, onRepair && mark);
  const items = virtual.getVirtualItems();
  const columnCount = COLUMNS.length + (onRepair ? 2 : 0);
  return (
    <div className={styles.table}>
      <div className={styles.tools}>
        <Filters runs={runs} filter={filter} onFilter={onFilter} />
        {selection.length > 0 && onRepair ? (
          <Bulk
            selection={selection}
            onRepair={onRepair}
            onClear={() => {
              setAll(false);
            }}
          />
        ) : (
          <span className="hg-quiet">{t('table.count', { count: found.length })}</span>
        )}
      </div>
      <div className={styles.box} ref={scroller}>
        {/* eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- arrow keys move its focus */}
        <table aria-rowcount={rows.length + 1} onKeyDown={onKeyDown}>
          <thead>
            <HeadRow
              filter={filter}
              onFilter={onFilter}
              marks={onRepair && { rows: rows.length, selection: selection.length, setAll }}
            />
          </thead>
          <tbody>
            <Gap height={items[0]?.start ?? 0} columns={columnCount} />
            {items.map((item) => {
              const run = rows[item.index];
              return (
                run && (
                  <TableRow
                    usual={usual?.get(run.key)}
                    key={run.key}
                    run={run}
                    index={item.index}
                    selected={run.key === selected || (run.key === chosenTask && !unfolded.has(run.key))}
                    reachable={item.index === Math.min(current, rows.length - 1)}
                    marked={onRepair ? marked.has(run.key) : undefined}
                    unfolded={run.shards && unfolded.has(run.key)}
                    onUnfold={unfold}
                    onMark={mark}
                    onSelect={onSelect}
                    onRepair={onRepair}
                  />
                )
              );
            })}
            <Gap height={virtual.getTotalSize() - (items.at(-1)?.end ?? 0)} columns={columnCount} />
          </tbody>
        </table>
        {rows.length === 0 && (
          <Empty title={t('table.none')}>
            <Button
              onClick={() => {
                onFilter({ sort: filter.sort });
              }}
            >
              {t('table.clear')}
            </Button>
          </Empty>
        )}
      </div>
    </div>
  );
}

type Mark = (index: number, on: boolean, range: boolean) => void;

/** The marked rows. A range begins at the row that was marked last. */
function useMarks(rows: readonly TaskRun[]) {
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set());
  const [anchor, setAnchor] = useState(0);
  const selection = useMemo(() => rows.filter((run) => marked.has(run.key)), [rows, marked]);
  const mark: Mark = (index, on, range) => {
    const next = new Set(marked);
    const [from, to] = range ? [Math.min(anchor, index), Math.max(anchor, index)] : [index, index];
    for (const run of rows.slice(from, to + 1))
      if (on) next.add(run.key);
      else next.delete(run.key);
    setMarked(next);
    setAnchor(index);
  };
  const setAll = (on: boolean) => {
    setMarked(on ? new Set(rows.map((run) => run.key)) : new Set());
  };
  return { marked, selection, mark, setAll };
}

/** Renders the visible rows, and moves the focus between rows by the keyboard. With Shift, the keys also mark rows. */
function useRowFocus(scroller: RefObject<HTMLDivElement | null>, rows: readonly TaskRun[], mark?: Mark) {
  const coarse = useMediaQuery(COARSE, undefined, { getInitialValueInEffect: false }) ?? false;
  const [current, setCurrent] = useState(0);
  // eslint-disable-next-line react-hooks/incompatible-library -- no compiler; the virtualizer renders itself
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => (coarse ? ROW_HEIGHT.coarse : ROW_HEIGHT.fine),
    overscan: 12,
  });
  useLayoutEffect(() => {
    virtual.measure();
  }, [virtual, coarse]);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const index = Number((event.target as HTMLElement).closest<HTMLElement>('[data-index]')?.dataset.index);
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15, Home: -Infinity, End: Infinity }[event.key];
    if (step === undefined || !Number.isInteger(index)) return;
    event.preventDefault();
    const to = Math.max(0, Math.min(rows.length - 1, index + step));
    if (event.shiftKey) mark?.(to, true, true);
    setCurrent(to);
    virtual.scrollToIndex(to);
    requestAnimationFrame(() =>
      scroller.current?.querySelector<HTMLElement>(`[data-index="${String(to)}"] button[aria-pressed]`)?.focus(),
    );
  };
  return { virtual, current, onKeyDown };
}

/** The space of the rows that are not rendered. */
function Gap({ height, columns }: { height: number; columns: number }) {
  if (height <= 0) return null;
  return (
    <tr aria-hidden="true">
      <td colSpan={columns} style={{ height, padding: 0, border: 0 }} />
    </tr>
  );
}

interface HeadRowProps extends Pick<Props, 'filter' | 'onFilter'> {
  /** Undefined if rows cannot be marked. */
  marks?: { rows: number; selection: number; setAll: (on: boolean) => void };
}

function HeadRow({ filter, onFilter, marks }: HeadRowProps) {
  const { t } = useTranslation('batch');
  const order = orderOf(filter.sort);
  return (
    <tr>
      {marks && (
        <th className={styles.check} scope="col">
          <Checkbox
            size="xs"
            aria-label={t('table.markAll')}
            checked={marks.rows > 0 && marks.selection === marks.rows}
            indeterminate={marks.selection > 0 && marks.selection < marks.rows}
            onChange={(e) => {
              marks.setAll(e.currentTarget.checked);
            }}
          />
        </th>
      )}
      {COLUMNS.map((c) => (
        <Head
          key={c}
          column={c}
          sorted={order?.column === c ? (order.down ? 'descending' : 'ascending') : 'none'}
          onSort={() => {
            onFilter({ ...filter, sort: nextOrder(order, c) });
          }}
        />
      ))}
      {marks && (
        <th className={styles.actions} scope="col">
          <span className="hg-visually-hidden">{t('column.actions')}</span>
        </th>
      )}
    </tr>
  );
}

function Head({
  column,
  sorted,
  onSort,
}: {
  column: Column;
  sorted: 'ascending' | 'descending' | 'none';
  onSort: () => void;
}) {
  const { t } = useTranslation('batch');
  return (
    <th scope="col" aria-sort={sorted} data-column={column}>
      <button type="button" onClick={onSort}>
        {t(`column.${column}`)}
        <svg viewBox="0 0 8 8" width={8} height={8} aria-hidden="true" data-sorted={sorted}>
          <path d="M1 5.5L4 2l3 3.5z" fill="currentColor" />
        </svg>
      </button>
    </th>
  );
}

/** The actions for the marked runs. Each opens one repair plan for all of them. */
function Bulk({
  selection,
  onRepair,
  onClear,
}: {
  selection: readonly TaskRun[];
  onRepair: NonNullable<Props['onRepair']>;
  onClear: () => void;
}) {
  const { t } = useTranslation('batch');
  const tasks = selection.map((run) => run.key);
  const unfinished = selection.some((run) => ['waiting', 'ready', 'running', 'unknown'].includes(run.state));
  const idle = selection.every((run) => run.state !== 'running');
  return (
    <div className={styles.bulk} role="group" aria-label={t('table.marked', { count: selection.length })}>
      <b>{t('table.marked', { count: selection.length })}</b>
      <NeedsServer>
        <Button
          size="compact-sm"
          onClick={() => {
            onRepair({ action: 'rerun', tasks });
          }}
        >
          {t('action.rerun')}
        </Button>
      </NeedsServer>
      <NeedsServer>
        <Button
          size="compact-sm"
          disabled={!idle}
          onClick={() => {
            onRepair({ action: 'mark_success', tasks });
          }}
        >
          {t('action.markSuccess')}
        </Button>
      </NeedsServer>
      <NeedsServer>
        <Button
          size="compact-sm"
          disabled={!idle}
          onClick={() => {
            onRepair({ action: 'mark_skip', tasks });
          }}
        >
          {t('action.markSkip')}
        </Button>
      </NeedsServer>
      <NeedsServer>
        <Button
          size="compact-sm"
          disabled={!unfinished}
          onClick={() => {
            onRepair({ action: 'cancel', tasks });
          }}
        >
          {t('action.cancelTasks')}
        </Button>
      </NeedsServer>
      <CloseButton size="sm" aria-label={t('table.unmark')} onClick={onClear} />
    </div>
  );
}
