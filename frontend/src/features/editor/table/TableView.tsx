import { Button, CloseButton, TextInput } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type RefObject, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Empty } from '@/ui';
import { useDoc, useDrawer, useEditor, useFaults } from '../context';
import { BulkBar } from './BulkBar';
import { Head } from './Head';
import { COLUMNS, nextOrder, orderOf, type Row, rowsOf, rowsToShow } from './rows';
import { TaskRow } from './TaskRow';
import styles from './TableView.module.css';

/** The estimated height of a row, in pixels. */
const ROW_HEIGHT = 36;

/** The tasks of the document as rows: searched, sorted, edited in their cells, and marked to change several at once. */
export function TableView() {
  const { t } = useTranslation('views');
  const { search, goTo, store } = useEditor();
  const doc = useDoc((s) => s.doc);
  const faults = useFaults();
  const drawer = useDrawer();
  const order = orderOf(search.sort);
  const all = useMemo(() => rowsOf(doc, faults), [doc, faults]);
  const rows = useMemo(() => rowsToShow(all, search.q, orderOf(search.sort)), [all, search.q, search.sort]);
  const box = useRef<HTMLDivElement>(null);
  const { items, before, after, reveal } = useRows(rows.length, box);
  const { marked, chosen, current, mark, markAll, keyDown } = useMarks(rows, reveal);
  const open = (key: string) => {
    store.getState().select({ tasks: [key] });
    goTo({ task: key, job: undefined });
    drawer.show();
  };
  return (
    <div className={styles.view}>
      <div className={styles.tools}>
        <Search />
        {chosen.length > 0 ? (
          <BulkBar
            keys={chosen}
            onNone={() => {
              markAll(false);
            }}
          />
        ) : (
          <span className="hg-quiet">{t('table.count', { count: rows.length })}</span>
        )}
      </div>
      <div className={styles.box} ref={box}>
        {/* eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- arrow keys move its focus */}
        <table aria-rowcount={rows.length + 1} aria-label={t('table.label')} onKeyDown={keyDown}>
          <Head
            order={order}
            onSort={(column) => {
              goTo({ sort: nextOrder(order, column) });
            }}
            marked={chosen.length}
            of={rows.length}
            onAll={markAll}
          />
          <tbody>
            <Spacer height={before} />
            {items.map((item) => {
              const row = rows[item.index];
              return (
                row && (
                  <TaskRow
                    key={row.task.key}
                    task={row.task}
                    job={row.jobTitle ?? row.job}
                    faults={row.faults}
                    waits={row.waits}
                    index={item.index}
                    marked={marked.has(row.task.key)}
                    open={search.task === row.task.key}
                    reachable={item.index === Math.min(current, rows.length - 1)}
                    onMark={mark}
                    onOpen={open}
                  />
                )
              );
            })}
            <Spacer height={after} />
          </tbody>
        </table>
        {rows.length === 0 && <NoRows hidden={all.length > 0} />}
      </div>
    </div>
  );
}

/** The rows in sight of a long table, and the heights in pixels before and after them. */
function useRows(count: number, box: RefObject<HTMLDivElement | null>) {
  // eslint-disable-next-line react-hooks/incompatible-library -- no compiler; the virtualizer renders itself
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
  });
  const items = virtual.getVirtualItems();
  return {
    items,
    before: items[0]?.start ?? 0,
    after: virtual.getTotalSize() - (items.at(-1)?.end ?? 0),
    /** Scrolls to a row and focuses the control in that column, or the name of the task if the column has none. */
    reveal: (index: number, column?: number) => {
      virtual.scrollToIndex(index);
      requestAnimationFrame(() => {
        const row = box.current?.querySelector<HTMLTableRowElement>(`tr[data-index="${String(index)}"]`);
        const same = column === undefined ? undefined : row?.cells[column]?.querySelector<HTMLElement>('input, button');
        (same ?? row?.querySelector<HTMLElement>('[data-opens]'))?.focus();
      });
    },
  };
}

/** The marked rows, which are the selection of the editor, and the row that the keyboard is on. */
function useMarks(rows: readonly Row[], reveal: (index: number, column?: number) => void) {
  const { store } = useEditor();
  const selection = useDoc((s) => s.selection);
  const [anchor, setAnchor] = useState(0);
  const [current, setCurrent] = useState(0);
  const marked = useMemo(() => new Set(selection.tasks), [selection]);
  const chosen = useMemo(
    () => rows.filter((row) => marked.has(row.task.key)).map((row) => row.task.key),
    [rows, marked],
  );
  const mark = (index: number, on: boolean, range: boolean) => {
    const next = new Set(chosen);
    const [from, to] = range ? [Math.min(anchor, index), Math.max(anchor, index)] : [index, index];
    for (const { task } of rows.slice(from, to + 1))
      if (on) next.add(task.key);
      else next.delete(task.key);
    setAnchor(index);
    setCurrent(index);
    store.getState().select({ tasks: rows.map((row) => row.task.key).filter((key) => next.has(key)) });
  };
  const keyDown = (event: KeyboardEvent<HTMLElement>) => {
    const cell = (event.target as HTMLElement).closest('td')?.cellIndex;
    const index = Number((event.target as HTMLElement).closest<HTMLElement>('[data-index]')?.dataset.index);
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15, Home: -Infinity, End: Infinity }[event.key];
    if (event.target instanceof HTMLInputElement && event.target.type !== 'checkbox') return;
    if (step === undefined || !Number.isInteger(index)) return;
    event.preventDefault();
    const to = Math.max(0, Math.min(rows.length - 1, index + step));
    if (event.shiftKey) mark(to, true, true);
    setCurrent(to);
    reveal(to, cell);
  };
  return {
    marked,
    /** The keys of the marked rows that the search shows. */
    chosen,
    current,
    mark,
    markAll: (on: boolean) => {
      store.getState().select({ tasks: on ? rows.map((row) => row.task.key) : [] });
    },
    keyDown,
  };
}

/** The search field, whose text is in the address. */
function Search() {
  const { t } = useTranslation('views');
  const { search, goTo } = useEditor();
  return (
    <TextInput
      size="xs"
      value={search.q ?? ''}
      placeholder={t('table.find')}
      aria-label={t('table.find')}
      className={styles.search}
      onChange={(e) => {
        goTo({ q: e.currentTarget.value || undefined });
      }}
      rightSection={
        search.q && (
          <CloseButton
            size="xs"
            aria-label={t('table.clear')}
            onClick={() => {
              goTo({ q: undefined });
            }}
          />
        )
      }
    />
  );
}

/** Takes the place of rows out of sight. */
function Spacer({ height }: { height: number }) {
  if (height <= 0) return null;
  return (
    <tr aria-hidden="true">
      <td colSpan={COLUMNS.length + 1} style={{ height, padding: 0, border: 0 }} />
    </tr>
  );
}

/** Says why no row is shown: the search hides all tasks, or there are none. */
function NoRows({ hidden }: { hidden: boolean }) {
  const { t } = useTranslation('views');
  const { goTo } = useEditor();
  return (
    <Empty title={t(hidden ? 'table.none' : 'table.empty')}>
      <Button
        onClick={() => {
          goTo(hidden ? { q: undefined } : { view: undefined });
        }}
      >
        {t(hidden ? 'table.clear' : 'table.toCanvas')}
      </Button>
    </Empty>
  );
}
