import { CloseButton } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type PointerEvent, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { TasksOnAxis } from '@/features/batch';
import { useClock } from '@/ui';
import { AxisRow, ROW_HEIGHT } from './AxisRow';
import { type Cursor, type Mark, markAt, marksAt } from './marks';
import { Axis, AXIS, NowLine } from './Plot';
import { momentAt, placeOf, type Scale, windowOf } from './scale';
import type { AxisRows } from './useAxis';
import { type Drag, type Point, useMarkControls } from './useMarkControls';
import type { Frame } from './useNight';
import { useMarkText } from './words';
import styles from './Axis.module.css';

/** A batch whose tasks are shown, and its schedule. */
export interface OpenBatch {
  batch: number;
  of: string;
}

interface Props {
  rows: AxisRows & Required<Pick<AxisRows, 'count' | 'window'>>;
  frame: Frame;
  open?: OpenBatch;
  /** The rows in view have changed. */
  onRange: (first: number, last: number) => void;
  onFrame: (frame: Frame) => void;
  onOpen: (open: OpenBatch | undefined) => void;
}

/** The width of the names in pixels. */
const NAMES = { wide: 220, narrow: 112 };
const NARROW = 620;
/** The height of the tasks of a batch before they are measured. */
const TASKS_HEIGHT = 160;
/** The picture moves with the time in steps of this many milliseconds. */
const STEP = 15_000;

/** The axis and the rows in view. A pointer or keys choose a mark; Enter or a click shows the tasks of its batch. */
export function AxisTable({ rows, frame, open, onRange, onFrame, onOpen }: Props) {
  const { t } = useTranslation('night');
  const navigate = useNavigate();
  const textOf = useMarkText();
  const { ref: sizeRef, width: total } = useElementSize();
  const left = total > 0 && total < NARROW ? NAMES.narrow : NAMES.wide;
  const { scale, now } = useScale(rows.window, frame, Math.max(1, total - left));
  const { rowAt } = rows;
  const { scroller, virtual, items, first, last } = useRowsInView(rows, open);
  useEffect(() => {
    onRange(first, last);
  }, [first, last, onRange]);
  const marks = marksOfRows(rows, first, last, now);
  const [cursor, setCursor] = useState<Cursor>();
  const chosen = cursor && marks[cursor.row]?.[cursor.mark];
  const schedule = cursor && rowAt(cursor.row)?.schedule;
  const choose = ({ row, mark }: Cursor) => {
    const [target, name] = [marks[row]?.[mark], rowAt(row)?.schedule];
    if (!target || name === undefined) return;
    if (!target.bar) void navigate({ to: '/schedules/$name/ticks', params: { name } });
    else onOpen(open?.batch === target.bar.id ? undefined : { batch: target.bar.id, of: name });
  };
  const zoom = (from: number, to: number) => {
    onFrame(windowOf(momentAt(from, scale), momentAt(to, scale)));
    setCursor(undefined);
  };
  const move = (next: Cursor) => {
    setCursor(next);
    virtual.scrollToIndex(next.row);
  };
  const back = () => {
    if (open) onOpen(undefined);
    else onFrame({ hours: 12 });
  };
  const { drag, handlers } = useMarkControls({
    marks,
    scale,
    cursor,
    start: { row: first, mark: 0 },
    pointOf: (event) => pointOf(event, marks, scale, left),
    onCursor: setCursor,
    onMove: move,
    onChoose: choose,
    onZoom: zoom,
    onBack: back,
  });
  return (
    <div className={styles.box}>
      <div
        ref={scroller}
        className={styles.scroller}
        role="application"
        aria-label={t('label')}
        aria-describedby="axis-keys axis-mark"
        // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- its keys need the focus
        tabIndex={0}
        data-link={chosen ? '' : undefined}
        {...handlers}
      >
        <Head scale={scale} now={now} left={left} drag={drag} />
        <div ref={sizeRef} className={styles.plane} style={{ height: virtual.getTotalSize() }}>
          {items.map(({ index, start, key }) => (
            <div
              key={key}
              ref={virtual.measureElement}
              data-index={index}
              className={styles.row}
              style={{ transform: `translateY(${String(start)}px)` }}
            >
              <AxisRow
                row={rowAt(index)}
                marks={marks[index] ?? NONE}
                scale={scale}
                now={now}
                left={left}
                chosen={cursor?.row === index ? cursor.mark : undefined}
              />
              {open !== undefined && rowAt(index)?.schedule === open.of && (
                <Tasks id={open.batch} scale={scale} left={left} onClose={back} />
              )}
            </div>
          ))}
        </div>
      </div>
      <p id="axis-keys" className="hg-visually-hidden">
        {t('axis.keys')}
      </p>
      <p id="axis-mark" className={styles.words} role="status">
        {chosen && schedule ? textOf(schedule, chosen) : ''}
      </p>
    </div>
  );
}

interface HeadProps {
  scale: Scale;
  now: number;
  left: number;
  drag?: Drag;
}

/** The labels of the axis, which stay over the rows. */
function Head({ scale, now, left, drag }: HeadProps) {
  const nowX = placeOf(now, scale);
  return (
    <div className={styles.axis} style={{ paddingLeft: left }} aria-hidden="true">
      <svg width={scale.width} height={AXIS} focusable="false">
        <Axis scale={scale} height={AXIS} now={now} />
        {nowX >= 0 && nowX <= scale.width && <NowLine x={nowX} now={now} height={AXIS} width={scale.width} />}
        {drag && (
          <rect
            className={styles.drag}
            x={Math.min(drag.from, drag.to)}
            width={Math.abs(drag.to - drag.from)}
            height={AXIS}
          />
        )}
      </svg>
    </div>
  );
}

function Tasks({ id, scale, left, onClose }: { id: number; scale: Scale; left: number; onClose: () => void }) {
  const { t } = useTranslation('night');
  return (
    <TasksOnAxis
      id={id}
      from={scale.from}
      to={scale.to}
      width={scale.width}
      left={left}
      close={<CloseButton size="sm" aria-label={t('axis.close')} onClick={onClose} />}
    />
  );
}

const NONE: readonly Mark[] = [];

/** The rows that are drawn: those in view and some around them. */
function useRowsInView({ count, rowAt }: Props['rows'], open: OpenBatch | undefined) {
  const scroller = useRef<HTMLDivElement>(null);
  // eslint-disable-next-line react-hooks/incompatible-library -- no compiler; the virtualizer renders itself
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => ROW_HEIGHT + (open && rowAt(index)?.schedule === open.of ? TASKS_HEIGHT : 0),
    overscan: 10,
    scrollPaddingStart: AXIS,
  });
  const items = virtual.getVirtualItems();
  return { scroller, virtual, items, first: items[0]?.index ?? 0, last: items.at(-1)?.index ?? 0 };
}

/** The point of the rows below a pointer. Names at the left and the tasks of an open batch are not in the picture. */
function pointOf(event: PointerEvent, marks: readonly (readonly Mark[])[], scale: Scale, left: number): Point {
  const line = document.elementFromPoint(event.clientX, event.clientY)?.closest('[data-line]');
  const row = Number(line?.closest<HTMLElement>('[data-index]')?.dataset.index);
  const x = event.clientX - event.currentTarget.getBoundingClientRect().left - left;
  const mark = line && x >= 0 && marks[row] ? markAt(marks[row], x, scale) : undefined;
  return { x, draggable: Boolean(line) && x >= 0, at: mark === undefined ? undefined : { row, mark } };
}

/** The scale of the window, which moves with the time between two answers. */
function useScale(window: Props['rows']['window'], frame: Frame, width: number) {
  const clock = useClock();
  const now = Math.max(Date.parse(window.now), Math.floor(clock / STEP) * STEP);
  const moved = 'hours' in frame ? now - Date.parse(window.now) : 0;
  const scale = useMemo(
    (): Scale => ({ from: Date.parse(window.from) + moved, to: Date.parse(window.to) + moved, width }),
    [window.from, window.to, moved, width],
  );
  return { scale, now };
}

/** The marks of the rows that were read, by their place. */
function marksOfRows({ count, rowAt }: Props['rows'], first: number, last: number, now: number) {
  const known = Array.from({ length: last - first + 1 }, (_, i) => rowAt(first + i));
  const marks: (readonly Mark[])[] = new Array<readonly Mark[]>(count).fill(NONE);
  known.forEach((row, i) => {
    if (row) marks[first + i] = marksAt(row, now);
  });
  return marks;
}
