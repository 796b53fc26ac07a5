import { useVirtualizer } from '@tanstack/react-virtual';
import { Fragment, type ReactNode, useLayoutEffect, useRef, useState } from 'react';

/** So many rows are simply drawn: then the browser's own search finds them all. */
const SIMPLE = 60;

interface Props<T> {
  items: readonly T[];
  /** About how high a row is, in pixels. */
  height: number;
  columns: number;
  keyOf: (item: T) => string | number;
  children: (item: T) => ReactNode;
}

/** The body of a table; of a long one, only the rows that are in sight. */
export function VirtualRows<T>(props: Props<T>) {
  if (props.items.length > SIMPLE) return <LongBody {...props} />;
  return (
    <tbody>
      {props.items.map((item) => (
        <Fragment key={props.keyOf(item)}>{props.children(item)}</Fragment>
      ))}
    </tbody>
  );
}

function LongBody<T>({ items, height, columns, keyOf, children }: Props<T>) {
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
