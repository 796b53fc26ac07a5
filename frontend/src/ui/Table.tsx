import { Button } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ComponentProps, Fragment, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import styles from './Table.module.css';

interface TableProps {
  caption: string;
  head: ReactNode;
  children: ReactNode;
  className?: string;
  /** More rows are loading. */
  busy?: boolean;
}

/** The table of the pages. Its caption is only for screen readers, because the title of the page contains it. */
export function Table({ caption, head, children, className, busy }: TableProps) {
  return (
    <div className={styles.paper}>
      <table className={`${styles.table} ${className ?? ''}`} aria-busy={busy}>
        <caption className="hg-visually-hidden">{caption}</caption>
        <thead>{head}</thead>
        {children}
      </table>
    </div>
  );
}

/** A row of a table of the pages. In a narrow window, `className` must arrange its cells in a grid. */
export function Row({ className, ...props }: ComponentProps<'tr'>) {
  return <tr className={`${styles.row ?? ''} ${className ?? ''}`} {...props} />;
}

interface SortProps<K extends string> {
  by: K;
  children: ReactNode;
  sort?: K;
  descending?: boolean;
  onSort: (by: K | undefined, descending: boolean) => void;
}

/**
 * The head of a sortable column. The first click sorts ascending, the second descending, the third restores the order.
 */
export function SortTh<K extends string>({ by, children, sort, descending, onSort }: SortProps<K>) {
  const active = sort === by;
  return (
    <th scope="col" aria-sort={active ? (descending ? 'descending' : 'ascending') : 'none'}>
      <button
        type="button"
        className={styles.sort}
        onClick={() => {
          onSort(active && descending ? undefined : by, active && !descending);
        }}
      >
        {children}
        <svg viewBox="0 0 8 10" width="7" height="9" aria-hidden="true">
          <path d={active && descending ? 'M1 6l3 3 3-3' : active ? 'M1 4l3-3 3 3' : 'M1 4l3-3 3 3M1 6l3 3 3-3'} />
        </svg>
      </button>
    </th>
  );
}

/** Placeholders for loading rows. They appear after a short delay, because most answers arrive before. */
export function Skeleton({ rows = 6 }: { rows?: number }) {
  return (
    <div className={styles.skeleton} aria-hidden="true">
      {Array.from({ length: rows }, (_, i) => (
        <div key={i}>
          <i style={{ width: 20 }} />
          <i style={{ width: `${String(14 + ((i * 7) % 11))}%` }} />
          <i style={{ width: '12%' }} />
          <i style={{ width: '22%' }} />
        </div>
      ))}
    </div>
  );
}

/** Up to this many rows are all rendered, so that the search of the browser finds them. */
const MAX_FULLY_RENDERED = 60;

interface RowsProps<T> {
  items: readonly T[];
  /** The estimated height of a row, in pixels. */
  height: number;
  columns: number;
  keyOf: (item: T) => string | number;
  children: (item: T) => ReactNode;
}

/** The body of a table. For a long table, only the visible rows are rendered. */
export function VirtualRows<T>(props: RowsProps<T>) {
  if (props.items.length > MAX_FULLY_RENDERED) return <LongBody {...props} />;
  return (
    <tbody>
      {props.items.map((item) => (
        <Fragment key={props.keyOf(item)}>{props.children(item)}</Fragment>
      ))}
    </tbody>
  );
}

function LongBody<T>({ items, height, columns, keyOf, children }: RowsProps<T>) {
  const body = useRef<HTMLTableSectionElement>(null);
  const [margin, setMargin] = useState(0);
  const scroller = () => document.getElementById('content');
  useLayoutEffect(() => {
    const main = scroller();
    if (body.current && main)
      setMargin(body.current.getBoundingClientRect().top - main.getBoundingClientRect().top + main.scrollTop);
  }, []);
  // The functions of the library are not memoized, so they are not passed to memoized components.
  // eslint-disable-next-line react-hooks/incompatible-library
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: scroller,
    estimateSize: () => height,
    overscan: 12,
    scrollMargin: margin,
    getItemKey: (i) => {
      const item = items[i];
      return item === undefined ? i : keyOf(item);
    },
  });
  const rows = virtual.getVirtualItems();
  const before = (rows[0]?.start ?? margin) - margin;
  const after = virtual.getTotalSize() - ((rows.at(-1)?.end ?? margin) - margin);
  return (
    <tbody ref={body}>
      {before > 0 && <Gap height={before} columns={columns} />}
      {rows.map((row) => {
        const item = items[row.index];
        return item === undefined ? null : <Fragment key={row.key}>{children(item)}</Fragment>;
      })}
      {after > 0 && <Gap height={after} columns={columns} />}
    </tbody>
  );
}

function Gap({ height, columns }: { height: number; columns: number }) {
  return (
    <tr aria-hidden="true">
      <td colSpan={columns} style={{ height, padding: 0, border: 0 }} />
    </tr>
  );
}

interface LoadMoreProps {
  query: {
    hasNextPage: boolean;
    isFetchingNextPage: boolean;
    isFetchNextPageError: boolean;
    fetchNextPage: () => Promise<unknown>;
  };
}

/** Loads the next page of a list when it becomes visible, or by its button. */
export function LoadMore({ query }: LoadMoreProps) {
  const { t } = useTranslation();
  const end = useRef<HTMLDivElement>(null);
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query;
  const ready = hasNextPage && !isFetchingNextPage && !isFetchNextPageError;
  useEffect(() => {
    if (!ready || !end.current || typeof IntersectionObserver === 'undefined') return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) void fetchNextPage();
      },
      { root: document.getElementById('content'), rootMargin: '600px' },
    );
    observer.observe(end.current);
    return () => {
      observer.disconnect();
    };
  }, [ready, fetchNextPage]);
  if (!hasNextPage) return null;
  return (
    <div ref={end} className={styles.more}>
      <Button loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        {t('more')}
      </Button>
    </div>
  );
}
