import { Button, Checkbox, CloseButton, Select, TextInput } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useContext, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import type { TaskRun } from '@/live';
import { Empty, JobTitles, segments, shownState, type ShownState, TaskTitles } from '@/ui';
import type { BatchSearch } from './search';
import { type Column, COLUMNS, nextOrder, orderOf, rowsToShow } from './table';
import { TableRow } from './TableRow';
import styles from './Table.module.css';

type Filter = Pick<BatchSearch, 'q' | 'only' | 'sort'>;

interface Props {
  runs: readonly TaskRun[];
  filter: Filter;
  onFilter: (filter: Filter) => void;
  selected?: string;
  onSelect: (task: string) => void;
  /** Without it, rows cannot be marked: the past cannot be repaired. */
  onRepair?: (request: Schemas['RepairRequest']) => void;
}

/** Height of a row (pixels), by what points at it; also in the styles. */
const ROW = { fine: 34, coarse: 44 };
const COARSE = '(pointer: coarse), (max-width: 600px)';

/** All task runs as a table: to search, to sort, and to repair many at once. */
export function Table({ runs, filter, onFilter, selected, onSelect, onRepair }: Props) {
  const { t } = useTranslation(['batch', 'states', 'common']);
  const order = orderOf(filter.sort);
  const [tasks, jobs] = [useContext(TaskTitles), useContext(JobTitles)];
  const rows = useMemo(
    () => rowsToShow(runs, filter, orderOf(filter.sort), { tasks, jobs }),
    [runs, filter, tasks, jobs],
  );
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set());
  const [anchor, setAnchor] = useState(0);
  const chosen = useMemo(() => rows.filter((run) => marked.has(run.key)), [rows, marked]);
  const mark = (index: number, on: boolean, range: boolean) => {
    const next = new Set(marked);
    const [from, to] = range ? [Math.min(anchor, index), Math.max(anchor, index)] : [index, index];
    for (const run of rows.slice(from, to + 1))
      if (on) next.add(run.key);
      else next.delete(run.key);
    setMarked(next);
    setAnchor(index);
  };
  const box = useRef<HTMLDivElement>(null);
  const coarse = useMediaQuery(COARSE, undefined, { getInitialValueInEffect: false }) ?? false;
  const [current, setCurrent] = useState(0);
  // eslint-disable-next-line react-hooks/incompatible-library -- the compiler is not used; the virtualizer renders anew by itself
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => (coarse ? ROW.coarse : ROW.fine),
    overscan: 12,
  });
  useLayoutEffect(() => {
    virtual.measure();
  }, [virtual, coarse]);
  const items = virtual.getVirtualItems();
  const before = items[0]?.start ?? 0;
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);

  const keyDown = (event: KeyboardEvent<HTMLElement>) => {
    const index = Number((event.target as HTMLElement).closest<HTMLElement>('[data-index]')?.dataset.index);
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15, Home: -Infinity, End: Infinity }[event.key];
    if (step === undefined || !Number.isInteger(index)) return;
    event.preventDefault();
    const to = Math.max(0, Math.min(rows.length - 1, index + step));
    if (event.shiftKey && onRepair) mark(to, true, true);
    setCurrent(to);
    virtual.scrollToIndex(to);
    requestAnimationFrame(() =>
      box.current?.querySelector<HTMLElement>(`[data-index="${String(to)}"] button`)?.focus(),
    );
  };
  const across = COLUMNS.length + (onRepair ? 2 : 0);
  const counts = useMemo(() => {
    const out: Partial<Record<ShownState, number>> = {};
    for (const run of runs) out[shownState(run)] = (out[shownState(run)] ?? 0) + 1;
    return out;
  }, [runs]);

  return (
    <div className={styles.table}>
      <div className={styles.tools}>
        <TextInput
          size="xs"
          value={filter.q ?? ''}
          placeholder={t('table.search')}
          aria-label={t('table.search')}
          className={styles.search}
          onChange={(e) => {
            onFilter({ ...filter, q: e.currentTarget.value || undefined });
          }}
          rightSection={
            filter.q && (
              <CloseButton
                size="xs"
                aria-label={t('table.clear')}
                onClick={() => {
                  onFilter({ ...filter, q: undefined });
                }}
              />
            )
          }
        />
        <Select
          size="xs"
          clearable
          value={filter.only ?? null}
          placeholder={t('table.anyState')}
          aria-label={t('table.state')}
          className={styles.state}
          data={segments(counts).map(({ state, count }) => ({
            value: state,
            label: `${t(`states:${state}`)} (${String(count)})`,
          }))}
          onChange={(only) => {
            onFilter({ ...filter, only: only ?? undefined });
          }}
        />
        {chosen.length > 0 && onRepair ? (
          <Bulk
            chosen={chosen}
            onRepair={onRepair}
            onNone={() => {
              setMarked(new Set());
            }}
          />
        ) : (
          <span className="hg-quiet">{t('table.count', { count: rows.length })}</span>
        )}
      </div>
      <div className={styles.box} ref={box}>
        {/* eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the arrow keys move between the buttons inside */}
        <table aria-rowcount={rows.length + 1} onKeyDown={keyDown}>
          <thead>
            <tr>
              {onRepair && (
                <th className={styles.check} scope="col">
                  <Checkbox
                    size="xs"
                    aria-label={t('table.markAll')}
                    checked={rows.length > 0 && chosen.length === rows.length}
                    indeterminate={chosen.length > 0 && chosen.length < rows.length}
                    onChange={(e) => {
                      setMarked(e.currentTarget.checked ? new Set(rows.map((run) => run.key)) : new Set());
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
              {onRepair && (
                <th className={styles.actions} scope="col">
                  <span className="hg-visually-hidden">{t('column.actions')}</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {before > 0 && (
              <tr aria-hidden="true">
                <td colSpan={across} style={{ height: before, padding: 0, border: 0 }} />
              </tr>
            )}
            {items.map((item) => {
              const run = rows[item.index];
              return (
                run && (
                  <TableRow
                    key={run.key}
                    run={run}
                    index={item.index}
                    selected={run.key === selected}
                    reachable={item.index === Math.min(current, rows.length - 1)}
                    marked={onRepair ? marked.has(run.key) : undefined}
                    onMark={mark}
                    onSelect={onSelect}
                    onRepair={onRepair}
                  />
                )
              );
            })}
            {after > 0 && (
              <tr aria-hidden="true">
                <td colSpan={across} style={{ height: after, padding: 0, border: 0 }} />
              </tr>
            )}
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

/** What can be done with the marked runs: each opens one repair plan over all of them. */
function Bulk({
  chosen,
  onRepair,
  onNone,
}: {
  chosen: readonly TaskRun[];
  onRepair: NonNullable<Props['onRepair']>;
  onNone: () => void;
}) {
  const { t } = useTranslation('batch');
  const tasks = chosen.map((run) => run.key);
  const open = chosen.some((run) => ['waiting', 'ready', 'running', 'unknown'].includes(run.state));
  const still = chosen.every((run) => run.state !== 'running');
  return (
    <div className={styles.bulk} role="group" aria-label={t('table.marked', { count: chosen.length })}>
      <b>{t('table.marked', { count: chosen.length })}</b>
      <Button
        size="compact-sm"
        onClick={() => {
          onRepair({ action: 'rerun', tasks });
        }}
      >
        {t('do.rerun')}
      </Button>
      <Button
        size="compact-sm"
        disabled={!still}
        onClick={() => {
          onRepair({ action: 'mark_success', tasks });
        }}
      >
        {t('do.markSuccess')}
      </Button>
      <Button
        size="compact-sm"
        disabled={!still}
        onClick={() => {
          onRepair({ action: 'mark_skip', tasks });
        }}
      >
        {t('do.markSkip')}
      </Button>
      <Button
        size="compact-sm"
        disabled={!open}
        onClick={() => {
          onRepair({ action: 'cancel', tasks });
        }}
      >
        {t('do.cancelTasks')}
      </Button>
      <CloseButton size="sm" aria-label={t('table.unmark')} onClick={onNone} />
    </div>
  );
}
