import { Button, Checkbox, CloseButton, Menu, TextInput } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type RefObject, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Empty } from '@/ui';
import { editTasks, moveTasks, removeTasks } from '@/document';
import { isDrawer, useDoc, useDrawer, useEditor, useFaults } from '../context';
import { namesByTask } from '../presence/people';
import { useOthers } from '../presence/PresenceProvider';
import { type Column, COLUMNS, nextOrder, type Order, orderOf, type Row, rowsOf, rowsToShow } from './rows';
import { TaskRow } from './TaskRow';
import { useTableClipboard } from './useTableClipboard';
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
  const { others } = useOthers();
  const chosenBy = useMemo(() => namesByTask(others), [others]);
  const order = orderOf(search.sort);
  const all = useMemo(() => rowsOf(doc, faults), [doc, faults]);
  const rows = useMemo(() => rowsToShow(all, search.q, orderOf(search.sort)), [all, search.q, search.sort]);
  const box = useRef<HTMLDivElement>(null);
  const { items, before, after, reveal } = useRows(rows.length, box);
  const { marked, chosen, current, mark, markAll, keyDown } = useMarks(rows, reveal);
  const clipboard = useTableClipboard(rows, chosen);
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
        <span className={styles.space} />
        <Button size="compact-sm" variant="subtle" disabled={rows.length === 0} onClick={clipboard.copy}>
          {t('table.copy')}
        </Button>
        <Button size="compact-sm" variant="subtle" onClick={clipboard.paste}>
          {t('table.paste')}
        </Button>
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
                    jobOff={row.jobOff}
                    defaults={row.defaults}
                    faults={row.faults}
                    kind={row.kind}
                    waits={row.waits}
                    index={item.index}
                    marked={marked.has(row.task.key)}
                    open={search.task === row.task.key}
                    reachable={item.index === Math.min(current, rows.length - 1)}
                    chosenBy={chosenBy.get(row.task.key)}
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
      {clipboard.node}
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

/** Fills the space of rows that are not mounted. */
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

interface Props {
  order?: Order;
  onSort: (column: Column) => void;
  marked: number;
  of: number;
  onAll: (on: boolean) => void;
}

/** The heads of the columns. A click sorts by the column. */
function Head({ order, onSort, marked, of, onAll }: Props) {
  const { t } = useTranslation('views');
  return (
    <thead>
      <tr>
        <th className={styles.check} scope="col">
          <Checkbox
            size="xs"
            aria-label={t('table.markAll')}
            checked={of > 0 && marked === of}
            indeterminate={marked > 0 && marked < of}
            onChange={(e) => {
              onAll(e.currentTarget.checked);
            }}
          />
        </th>
        {COLUMNS.map((column) => {
          const sorted = sortedOf(order, column);
          return (
            <th key={column} scope="col" aria-sort={sorted} data-column={column}>
              <button
                type="button"
                onClick={() => {
                  onSort(column);
                }}
              >
                {t(`column.${column}`)}
                <svg viewBox="0 0 8 8" width={8} height={8} aria-hidden="true" data-sorted={sorted}>
                  <path d="M1 5.5L4 2l3 3.5z" fill="currentColor" />
                </svg>
              </button>
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

function sortedOf(order: Order | undefined, column: Column): 'ascending' | 'descending' | 'none' {
  if (order?.column !== column) return 'none';
  return order.down ? 'descending' : 'ascending';
}

/** The commands on the marked tasks. `Edit` shows their common fields in the inspector. */
function BulkBar({ keys, onNone }: { keys: readonly string[]; onNone: () => void }) {
  const { t } = useTranslation('views');
  const { store, goTo } = useEditor();
  const doc = useDoc((s) => s.doc);
  const drawer = useDrawer();
  const { apply } = store.getState();
  const off = doc.jobs.every((job) => job.tasks?.every((task) => !keys.includes(task.key) || task.disabled) ?? true);
  const edit = () => {
    // Only the rows that the bar counts: the search may hide other marked ones.
    store.getState().select({ tasks: [...keys] });
    drawer.show();
    if (!isDrawer()) goTo({ field: keys.length > 1 ? 'handler' : 'key' });
  };
  return (
    <div className={styles.bulk} role="group" aria-label={t('table.marked', { count: keys.length })}>
      <b>{t('table.marked', { count: keys.length })}</b>
      <Button size="compact-sm" onClick={edit}>
        {t('table.edit')}
      </Button>
      <Menu>
        <Menu.Target>
          <Button size="compact-sm">{t('table.move')}</Button>
        </Menu.Target>
        <Menu.Dropdown className={styles.jobs}>
          {doc.jobs.map((job) => (
            <Menu.Item
              key={job.key}
              onClick={() => {
                apply(moveTasks(store.getState().doc, keys, job.key, job.tasks?.length ?? 0));
              }}
            >
              <bdi>{job.title ?? job.key}</bdi>
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <Button
        size="compact-sm"
        onClick={() => {
          apply(editTasks(store.getState().doc, keys, { disabled: off ? undefined : true }));
        }}
      >
        {t(off ? 'table.enable' : 'table.disable')}
      </Button>
      <Button
        size="compact-sm"
        onClick={() => {
          apply(removeTasks(store.getState().doc, keys));
        }}
      >
        {t('table.remove')}
      </Button>
      <CloseButton size="sm" aria-label={t('table.unmark')} onClick={onNone} />
    </div>
  );
}
