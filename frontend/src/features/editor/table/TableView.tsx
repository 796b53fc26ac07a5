import { Button, CloseButton, TextInput } from '@mantine/core';
import { type KeyboardEvent, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Empty } from '@/ui';
import { useDoc, useEditor, useFaults } from '../context';
import { useSheet } from '../sheet';
import { BulkBar } from './BulkBar';
import { Head } from './Head';
import { COLUMNS, nextOrder, orderOf, rowsOf, rowsToShow } from './rows';
import { TaskRow } from './TaskRow';
import { useRows } from './useRows';
import styles from './TableView.module.css';

/** The tasks of the document as rows: to find, to sort, to write in, and to change many at once. */
export function TableView() {
  const { t } = useTranslation('views');
  const { search, goTo, store } = useEditor();
  const doc = useDoc((s) => s.doc);
  const selection = useDoc((s) => s.selection);
  const faults = useFaults();
  const sheet = useSheet();
  const order = orderOf(search.sort);
  const all = useMemo(() => rowsOf(doc, faults), [doc, faults]);
  const rows = useMemo(() => rowsToShow(all, search.q, orderOf(search.sort)), [all, search.q, search.sort]);
  const marked = useMemo(() => new Set(selection.tasks), [selection]);
  const chosen = useMemo(
    () => rows.filter((row) => marked.has(row.task.key)).map((row) => row.task.key),
    [rows, marked],
  );
  const [anchor, setAnchor] = useState(0);
  const [current, setCurrent] = useState(0);
  const box = useRef<HTMLDivElement>(null);
  const { items, before, after, reveal } = useRows(rows.length, box);

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
  const open = (key: string) => {
    store.getState().select({ tasks: [key] });
    goTo({ task: key, job: undefined });
    sheet.show();
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
  const markAll = (on: boolean) => {
    store.getState().select({ tasks: on ? rows.map((row) => row.task.key) : [] });
  };

  return (
    <div className={styles.view}>
      <div className={styles.tools}>
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
        {/* eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the arrow keys move between the buttons inside */}
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
            {before > 0 && (
              <tr aria-hidden="true">
                <td colSpan={COLUMNS.length + 1} style={{ height: before, padding: 0, border: 0 }} />
              </tr>
            )}
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
            {after > 0 && (
              <tr aria-hidden="true">
                <td colSpan={COLUMNS.length + 1} style={{ height: after, padding: 0, border: 0 }} />
              </tr>
            )}
          </tbody>
        </table>
        {rows.length === 0 && (
          <Empty title={t(all.length === 0 ? 'table.empty' : 'table.none')}>
            {all.length > 0 && (
              <Button
                onClick={() => {
                  goTo({ q: undefined });
                }}
              >
                {t('table.clear')}
              </Button>
            )}
            {all.length === 0 && (
              <Button
                onClick={() => {
                  goTo({ view: undefined });
                }}
              >
                {t('table.toCanvas')}
              </Button>
            )}
          </Empty>
        )}
      </div>
    </div>
  );
}
