import { useVirtualizer } from '@tanstack/react-virtual';
import type { RefObject } from 'react';

const ROW = 36;

/** The rows in sight of a long table, and how much there is before and after them. */
export function useRows(count: number, box: RefObject<HTMLDivElement | null>) {
  // eslint-disable-next-line react-hooks/incompatible-library -- the compiler is not used; the virtualizer renders anew by itself
  const virtual = useVirtualizer({ count, getScrollElement: () => box.current, estimateSize: () => ROW, overscan: 12 });
  const items = virtual.getVirtualItems();
  return {
    items,
    before: items[0]?.start ?? 0,
    after: virtual.getTotalSize() - (items.at(-1)?.end ?? 0),
    /** Brings a row into sight and the keyboard to it: to what there is in the same column, else to its task. */
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
