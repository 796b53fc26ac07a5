import type { ReactNode } from 'react';
import styles from './Table.module.css';

interface TableProps {
  caption: string;
  head: ReactNode;
  children: ReactNode;
  className?: string;
  /** More rows are on their way. */
  busy?: boolean;
}

/** A table as pages have it: white paper with a quiet head. Its caption is for screen readers: the page's title says it too. */
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

/** The head of a column that sorts: once upwards, once more downwards, the third time as it was. */
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
