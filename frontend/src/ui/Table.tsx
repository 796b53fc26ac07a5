import { Button } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { Fragment, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import styles from './Table.module.css';

interface TableProps {
  caption: string;
  head: ReactNode;
  children: ReactNode;
  className?: string;
  /** More rows are on their way. */
  busy?: boolean;
}

/**
 * The table of the pages, on a white ground with a plain head. Its caption is for screen readers only, because the
 * page's title says the same.
 */
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

interface SortProps<K extends string> {
  by: K;
  children: ReactNode;
  sort?: K;
  descending?: boolean;
  onSort: (by: K | undefined, descending: boolean) => void;
}

/**
 * The head of a column that sorts: the first press sorts upwards, the second downwards, the third restores the written
 * order.
 */
export function SortTh<K extends string>({ by, children, sort, descending, onSort }: SortProps<K>) {
  const mine = sort === by;
  return (
    <th scope="col" aria-sort={mine ? (descending ? 'descending' : 'ascending') : 'none'}>
      <button
        type="button"
        className={styles.sort}
        onClick={() => {
          onSort(mine && descending ? undefined : by, mine && !descending);
        }}
      >
        {children}
        <svg viewBox="0 0 8 10" width="7" height="9" aria-hidden="true">
          <path d={mine && descending ? 'M1 6l3 3 3-3' : mine ? 'M1 4l3-3 3 3' : 'M1 4l3-3 3 3M1 6l3 3 3-3'} />
        </svg>
      </button>
    </th>
  );
}

/** Rows to come, unseen for the first moments: most answers are there before. */
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

/** So many rows are simply drawn: then the browser's own search finds them all. */
const SIMPLE = 60;

interface RowsProps<T> {
  items: readonly T[];
  /** About how high a row is, in pixels. */
  height: number;
  columns: number;
  keyOf: (item: T) => string | number;
  children: (item: T) => ReactNode;
}

/** The body of a table; of a long one, only the rows that are in sight. */
export function VirtualRows<T>(props: RowsProps<T>) {
  if (props.items.length > SIMPLE) return <LongBody {...props} />;
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
  // The library's functions are not memoized, which is why nothing here is handed on as one.
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

/** The end of a list that goes on: the next page comes when it is in sight, or by its button. */
export function LoadMore({ query }: LoadMoreProps) {
  const { t } = useTranslation();
  const end = useRef<HTMLDivElement>(null);
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query;
  const ready = hasNextPage && !isFetchingNextPage && !isFetchNextPageError;
  useEffect(() => {
    if (!ready || !end.current || typeof IntersectionObserver === 'undefined') return undefined;
    const observer = new IntersectionObserver(
      (seen) => {
        if (seen.some((s) => s.isIntersecting)) void fetchNextPage();
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
