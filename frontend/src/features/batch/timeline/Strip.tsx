import { Tooltip } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useVirtualizer } from '@tanstack/react-virtual';
import {
  type CSSProperties,
  type KeyboardEvent,
  memo,
  type PointerEvent,
  type ReactElement,
  type ReactNode,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useTranslation } from 'react-i18next';
import { type Batch, type RunStore, useTaskKeys, useThrottledRuns } from '@/live';
import { useMeasureName } from '@/scene';
import { shownState, useNow, useTaskName, useTaskNames, useTook } from '@/ui';
import { type Bar, endOf, millisOf, newRows, nowOf, roundStarts, type Row } from './rows';
import { expectedEnd, scaleOf, type Scale, ticksOf } from './scale';
import { useAttempts } from './useAttempts';
import { useLineFocus } from './useLineFocus';
import { useBarText } from './words';
import styles from './Strip.module.css';

interface Props {
  batch: Batch;
  store: RunStore;
  zone?: string;
  selected?: string;
  onSelect: (task: string) => void;
}

/** Pixels: the height of a row, and the space after the last bar. */
const [ROW, END] = [17, 24];
/** The least and the greatest width of the names, with their margins, in pixels. */
const NAMES = { least: 140, most: 320, margin: 34 };
/** The greatest part of the width for names. */
const NAMES_PART = 0.25;
/** The names are smaller than those of the cards, whose width is measured. */
const SMALLER = 0.88;

/** The width of the names: the longest one of the batch has room, unless the bars need it. */
function useNamesWidth(store: RunStore, total: number): number {
  const nameOf = useTaskNames();
  const keys = useTaskKeys(store);
  const measure = useMeasureName();
  const longest = useMemo(
    () => keys.reduce((most, key) => Math.max(most, measure(nameOf(key))), 0) * SMALLER,
    [keys, nameOf, measure],
  );
  const most = Math.max(NAMES.least, Math.min(NAMES.most, total * NAMES_PART));
  return Math.round(Math.max(NAMES.least, Math.min(most, longest + NAMES.margin)));
}

/** Width of the number of a round, in pixels. With less space after its line, it is shown before the line. */
const ROUND_WIDTH = 70;

const hasOpen = (row: Row) => row.bars.some((b) => b.to === undefined);

/** Above this many rows, what runs and what failed comes first, because few rows are in view. */
const MANY = 7;

/** Many rows in the order of their urgency: those that run, those that failed, then all others. */
function urgentFirst(rows: Row[]): Row[] {
  if (rows.length <= MANY) return rows;
  const urgency = (row: Row) => (hasOpen(row) ? 0 : shownState(row.run) === 'failed' ? 1 : 2);
  return rows.sort((a, b) => urgency(a) - urgency(b));
}

/**
 * A low timeline below another view: the tasks that have started, with a bar for each attempt. It follows the runs by
 * itself, and does not render again when the page does.
 */
export const Strip = memo(function Strip({ batch, store, zone, selected, onSelect }: Props) {
  const { t } = useTranslation('batch');
  const took = useTook();
  const runs = useThrottledRuns(store);
  const attempts = useAttempts(batch.id, store);
  const [rowsOf] = useState(newRows);
  const all = useMemo(() => rowsOf(runs, attempts), [rowsOf, runs, attempts]);
  const rows = useMemo(() => urgentFirst(all.filter((row) => row.bars.length > 0)), [all]);
  const clockNow = useNow();
  const now = batch.live ? nowOf(all, clockNow) : 0;
  const { ref: sizeRef, width: totalWidth } = useElementSize();
  const name = useNamesWidth(store, totalWidth);
  const width = Math.max(0, totalWidth - name - END);
  const until = expectedEnd(batch, now);
  const begin = millisOf(batch.startedAt);
  const scale = useMemo(() => scaleOf(all, { begin, now, until, width }), [all, begin, now, until, width]);
  const ticks = useMemo(() => (width > 0 ? ticksOf(scale, zone, 110) : []), [scale, zone, width]);
  const rounds = useMemo(() => roundStarts(all), [all]);

  if (rows.length === 0) return <p className={styles.empty}>{t('timeline.empty')}</p>;
  return (
    <div
      className={styles.timeline}
      ref={sizeRef}
      style={{ '--row': `${String(ROW)}px`, '--name': `${String(name)}px` } as CSSProperties}
    >
      <div className={styles.axis} aria-hidden="true">
        <span className={styles.count}>{t('timeline.began', { count: rows.length })}</span>
        {ticks.map((tick) => (
          <span key={tick.at} className={styles.tick} style={{ left: name + tick.x }}>
            {tick.label}
          </span>
        ))}
      </div>
      <Rows {...{ rows, name, scale, now, zone, selected, onSelect }}>
        {ticks.map((tick) => (
          <i key={tick.at} className={styles.grid} style={{ left: name + tick.x }} />
        ))}
        {scale.pieces
          .filter((p) => p.pause)
          .map((p) => (
            <Tooltip key={p.from} label={t('timeline.pause', { time: took(p.to - p.from) })}>
              <i className={styles.pause} style={{ left: name + p.x0, width: p.x1 - p.x0 }} />
            </Tooltip>
          ))}
        {rounds.map((r) => (
          <i
            key={r.round}
            className={styles.round}
            data-end={width + END - scale.x(r.at) < ROUND_WIDTH || undefined}
            style={{ left: name + scale.x(r.at) }}
          >
            <b>{t('round', { n: r.round })}</b>
          </i>
        ))}
        {now > 0 && <i className={styles.now} style={{ left: name + scale.x(now) }} />}
      </Rows>
    </div>
  );
});

interface RowsProps extends Pick<Props, 'zone' | 'selected' | 'onSelect'> {
  rows: readonly Row[];
  /** The width of the names. */
  name: number;
  scale: Scale;
  now: number;
  children: ReactNode;
}

function Rows({ rows, name, scale, now, zone, selected, onSelect, children }: RowsProps) {
  const { t } = useTranslation('batch');
  const scroller = useRef<HTMLDivElement>(null);
  const [current, setCurrent] = useState(0);
  const focus = useLineFocus(scroller);
  const [pointed, setPointed] = useState<{ task: string; bar: number }>();
  // eslint-disable-next-line react-hooks/incompatible-library -- no compiler; the virtualizer renders itself
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 12,
  });
  const selectedIndex = rows.findIndex((row) => row.run.key === selected);
  const stop = Math.min(selectedIndex >= 0 ? selectedIndex : current, rows.length - 1);
  const move = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20, Home: -Infinity, End: Infinity }[event.key];
    const from = Number((event.target as HTMLElement).dataset.index);
    if (step === undefined || !Number.isInteger(from)) return;
    event.preventDefault();
    const to = Math.max(0, Math.min(rows.length - 1, from + step));
    setCurrent(to);
    virtual.scrollToIndex(to);
    focus(to);
  };
  const point = ({ target }: PointerEvent) => {
    const { barOf: task, bar } = (target as HTMLElement).dataset;
    setPointed((before) => {
      if (task === undefined || bar === undefined) return undefined;
      return before?.task === task && before.bar === Number(bar) ? before : { task, bar: Number(bar) };
    });
  };
  const leave = () => {
    setPointed(undefined);
  };
  return (
    // eslint-disable-next-line jsx-a11y/no-static-element-interactions -- arrow keys move its focus
    <div className={styles.rows} ref={scroller} onKeyDown={move} onPointerOver={point} onPointerLeave={leave}>
      <div
        className={styles.plane}
        style={{ height: virtual.getTotalSize() }}
        role="list"
        aria-label={t('timeline.label')}
      >
        {children}
        {virtual.getVirtualItems().map((item) => {
          const row = rows[item.index];
          return (
            row && (
              <div
                key={row.run.key}
                role="listitem"
                className={styles.row}
                style={{ top: item.start }}
                aria-setsize={rows.length}
                aria-posinset={item.index + 1}
              >
                <RowLine
                  row={row}
                  index={item.index}
                  left={name}
                  scale={scale}
                  now={hasOpen(row) ? now : 0}
                  zone={zone}
                  selected={row.run.key === selected}
                  reachable={item.index === stop}
                  pointed={pointed?.task === row.run.key ? pointed.bar : undefined}
                  onSelect={onSelect}
                />
              </div>
            )
          );
        })}
      </div>
    </div>
  );
}

interface LineProps extends Pick<Props, 'zone' | 'onSelect'> {
  row: Row;
  index: number;
  /** Pixels before the bars. */
  left: number;
  scale: Scale;
  now: number;
  selected: boolean;
  reachable: boolean;
  /** The index of the bar under the pointer. */
  pointed?: number;
}

const RowLine = memo(function RowLine(props: LineProps) {
  const { row, index, left, scale, now, zone, selected, reachable, pointed, onSelect } = props;
  const { t } = useTranslation('states');
  const { run, bars } = row;
  const name = useTaskName(run.key);
  const state = shownState(run);
  return (
    <button
      type="button"
      className={styles.line}
      data-index={index}
      data-state={state}
      aria-pressed={selected}
      tabIndex={reachable ? 0 : -1}
      onClick={() => {
        onSelect(run.key);
      }}
    >
      <span className={styles.name}>
        <bdi title={name === run.key ? undefined : run.key}>{name}</bdi>
      </span>
      <span className="hg-visually-hidden">{t(state)}</span>
      {bars.map((b, i) => {
        const x = scale.x(b.from);
        const bar = (
          <i
            key={b.from}
            className={styles.bar}
            data-state={b.state}
            data-bar-of={run.key}
            data-bar={i}
            style={{ left: left + x, width: Math.max(3, scale.x(endOf(b, now)) - x) }}
          />
        );
        return i === pointed ? (
          <BarTip key={b.from} bar={b} now={now} zone={zone}>
            {bar}
          </BarTip>
        ) : (
          bar
        );
      })}
    </button>
  );
});

interface TipProps extends Pick<LineProps, 'now' | 'zone'> {
  bar: Bar;
  children: ReactElement;
}

/**
 * The tooltip of the bar under the pointer. The other bars have none: tooltips of all bars would take longer than a
 * frame when the axis moves.
 */
function BarTip({ bar, now, zone, children }: TipProps) {
  const barText = useBarText(zone);
  return (
    <Tooltip opened label={barText(bar, now)} position="top">
      {children}
    </Tooltip>
  );
}
