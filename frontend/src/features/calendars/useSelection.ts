import {
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { addMonths, firstOf, type Range, weekdayOf, yearOf } from './days';

/** The first and the last year of a date in a calendar, as on the server. */
export const YEARS = { first: 1970, last: 9999 } as const;

/** The day to which a key moves; undefined for another key. */
export function dayAfterKey(key: string, day: number): number | undefined {
  switch (key) {
    case 'ArrowLeft':
      return day - 1;
    case 'ArrowRight':
      return day + 1;
    case 'ArrowUp':
      return day - 7;
    case 'ArrowDown':
      return day + 7;
    case 'PageUp':
      return addMonths(day, -1);
    case 'PageDown':
      return addMonths(day, 1);
    case 'Home':
      return day - weekdayOf(day);
    case 'End':
      return day - weekdayOf(day) + 6;
    default:
      return undefined;
  }
}

/** The day of the cell at an event, which may also come from the portal of a cell's popover. */
function dayAt({ target, currentTarget }: { target: EventTarget; currentTarget: EventTarget }): number | undefined {
  if (!(target instanceof Element) || !(currentTarget as Element).contains(target)) return undefined;
  const day = target.closest<HTMLElement>('[data-day]')?.dataset.day;
  return day === undefined ? undefined : Number(day);
}

interface Options {
  year: number;
  today: number;
  onYear: (year: number) => void;
  /** Removes the entries of the selected days. */
  onClear: (range: Range) => void;
}

/**
 * The selected days of the year view: one, or a range. Arrow keys move, with Shift they extend the range, as dragging
 * does. `opened` means that the editor of the selected days is open.
 */
export function useSelection({ year, today, onYear, onClear }: Options) {
  const [selected, setSelected] = useState({ anchor: today, cursor: today });
  const [opened, setOpened] = useState(false);
  const wantsFocus = useRef(false);
  const dragging = useRef(false);
  const openedByPointer = useRef(false);
  // The year may have been changed by its buttons.
  const { anchor, cursor } =
    yearOf(selected.cursor) === year ? selected : { anchor: firstOf(year, 0), cursor: firstOf(year, 0) };
  useLayoutEffect(() => {
    if (!wantsFocus.current) return;
    const cell = document.querySelector<HTMLElement>(`[data-day="${String(cursor)}"]`);
    if (!cell) return; // its year is not drawn yet
    wantsFocus.current = false;
    cell.focus();
  });
  useEffect(() => {
    const stop = () => {
      if (!dragging.current) return;
      dragging.current = false;
      openedByPointer.current = true;
      setOpened(true);
    };
    window.addEventListener('pointerup', stop);
    return () => {
      window.removeEventListener('pointerup', stop);
    };
  }, []);
  const range: Range = { from: Math.min(anchor, cursor), to: Math.max(anchor, cursor) };
  const go = (day: number, extend: boolean) => {
    if (yearOf(day) < YEARS.first || yearOf(day) > YEARS.last) return;
    wantsFocus.current = true;
    setSelected({ anchor: extend ? anchor : day, cursor: day });
    if (yearOf(day) !== year) onYear(yearOf(day));
  };
  const cells = {
    onKeyDown: (event: KeyboardEvent) => {
      const day = dayAt(event);
      if (day === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      const next = dayAfterKey(event.key, day);
      if (next !== undefined) go(next, event.shiftKey);
      else if (event.key === 'Enter' || event.key === ' ') setOpened(true);
      else if (event.key === 'Delete' || event.key === 'Backspace') onClear(range);
      else if (event.key === 'Escape' && range.from !== range.to) setSelected({ anchor: cursor, cursor });
      else return;
      event.preventDefault();
    },
    onPointerDown: (event: PointerEvent) => {
      openedByPointer.current = false;
      const day = dayAt(event);
      if (day === undefined || event.button !== 0 || event.pointerType === 'touch') return; // a touch scrolls
      dragging.current = true;
      setOpened(false);
      setSelected({ anchor: event.shiftKey ? anchor : day, cursor: day });
    },
    onPointerOver: (event: PointerEvent) => {
      const day = dayAt(event);
      if (dragging.current && day !== undefined) setSelected({ anchor, cursor: day });
    },
    // A tap, or the click of a screen reader.
    onClick: (event: MouseEvent) => {
      const day = dayAt(event);
      if (day === undefined || openedByPointer.current) return;
      setSelected({ anchor: day, cursor: day });
      setOpened(true);
    },
  };
  return {
    cells,
    range,
    cursor,
    opened,
    setRange: ({ from, to }: Range) => {
      setSelected({ anchor: from, cursor: to });
    },
    close: () => {
      wantsFocus.current = true;
      setOpened(false);
    },
  };
}

/** The selected days, and the handlers of the cells. */
export type Selection = ReturnType<typeof useSelection>;
