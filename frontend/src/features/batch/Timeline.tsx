import { Tooltip } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type CSSProperties, type KeyboardEvent, memo, type ReactNode, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Batch, type RunStore, useRuns } from '@/live';
import { exact, Glyph, shownState, useNow, useTaskName, useTook } from '@/ui';
import { type Bar, nowOf, roundStarts, type Row, rowsInOrder, rowsOf, scaleOf, type Scale, ticksOf } from './timeline';
import { useAttempts } from './useAttempts';
import styles from './Timeline.module.css';

interface Props {
  batch: Batch;
  store: RunStore;
  zone?: string;
  selected?: string;
  onSelect: (task: string) => void;
  /** Whether to show a strip below another view: lower rows, only started tasks, and no texts beside the bars. */
  strip?: boolean;
  /** Whether to sort rows by their start instead of the order of the definition. */
  byStart?: boolean;
  onOrder?: (byStart: boolean) => void;
}

/** Pixels: the height of a row, the width of its name, and the space for the text after the last bar. */
const SIZES = { full: { row: 26, name: 190, end: 92 }, strip: { row: 17, name: 140, end: 24 } };

/** Width of the number of a round, in pixels. With less space after its line, it is shown before the line. */
const ROUND_WIDTH = 70;

/** A row for each task, with a bar for each attempt, and a line at the current time. */
export function Timeline({ batch, store, zone, selected, onSelect, strip, byStart, onOrder }: Props) {
  const { t } = useTranslation('batch');
  const took = useTook();
  const runs = useRuns(store);
  const attempts = useAttempts(batch.id, store);
  const all = useMemo(() => rowsOf(runs, attempts), [runs, attempts]);
  const rows = useMemo(() => rowsInOrder(all, { started: strip, byStart }), [all, strip, byStart]);
  const clockNow = useNow();
  const now = batch.live ? nowOf(all, clockNow) : 0;
  const { ref: sizeRef, width: totalWidth } = useElementSize();
  const m =
    totalWidth > 0 && totalWidth < 600 && !strip
      ? { ...SIZES.full, name: 110, end: 60 }
      : SIZES[strip ? 'strip' : 'full'];
  const width = Math.max(0, totalWidth - m.name - m.end);
  const until = expectedEnd(batch, now);
  const scale = useMemo(() => scaleOf(all, now, until, width), [all, now, until, width]);
  const ticks = useMemo(() => (width > 0 ? ticksOf(scale, zone) : []), [scale, zone, width]);
  const rounds = useMemo(() => roundStarts(all), [all]);

  if (rows.length === 0) return <p className={styles.empty}>{t('timeline.empty')}</p>;
  return (
    <div
      className={styles.timeline}
      ref={sizeRef}
      data-strip={strip}
      style={{ '--row': `${String(m.row)}px`, '--name': `${String(m.name)}px` } as CSSProperties}
    >
      {!strip && (
        <div className={styles.axis}>
          {onOrder && (
            <button
              type="button"
              className={styles.order}
              aria-pressed={byStart === true}
              onClick={() => {
                onOrder(!byStart);
              }}
            >
              {t(byStart ? 'timeline.byStart' : 'timeline.byJob')}
            </button>
          )}
          <div aria-hidden="true">
            {ticks.map((tick) => (
              <span key={tick.at} style={{ left: m.name + tick.x }}>
                {tick.label}
              </span>
            ))}
          </div>
        </div>
      )}
      <Rows
        rows={rows}
        scale={scale}
        now={now}
        height={m.row}
        zone={zone}
        selected={selected}
        onSelect={onSelect}
        strip={strip}
        nameWidth={m.name}
      >
        {ticks.map((tick) => (
          <i key={tick.at} className={styles.grid} style={{ left: m.name + tick.x }} />
        ))}
        {scale.pieces
          .filter((p) => p.pause)
          .map((p) => (
            <Tooltip key={p.from} label={t('timeline.pause', { time: took(p.to - p.from) })}>
              <i className={styles.pause} style={{ left: m.name + p.x0, width: p.x1 - p.x0 }} />
            </Tooltip>
          ))}
        {rounds.map((r) => (
          <i
            key={r.round}
            className={styles.round}
            data-end={width + m.end - scale.x(r.at) < ROUND_WIDTH || undefined}
            style={{ left: m.name + scale.x(r.at) }}
          >
            <b>{t('round', { n: r.round })}</b>
          </i>
        ))}
        {now > 0 && <i className={styles.now} style={{ left: m.name + scale.x(now) }} />}
      </Rows>
    </div>
  );
}

/** The end of the axis. For a running batch, it leaves space for the remaining usual duration. */
function expectedEnd(batch: Batch, now: number): number {
  if (!batch.live || !batch.startedAt) return 0;
  const usual = batch.round === 1 && batch.usualSeconds ? Date.parse(batch.startedAt) + batch.usualSeconds * 1000 : 0;
  const passed = now - Date.parse(batch.roundAt ?? batch.startedAt);
  return Math.max(usual, now + passed * 0.06);
}

interface RowsProps extends Pick<Props, 'zone' | 'selected' | 'onSelect' | 'strip'> {
  rows: readonly Row[];
  scale: Scale;
  now: number;
  height: number;
  nameWidth: number;
  children: ReactNode;
}

function Rows({ rows, scale, now, height, zone, selected, onSelect, strip, nameWidth, children }: RowsProps) {
  const { t } = useTranslation('batch');
  const scroller = useRef<HTMLDivElement>(null);
  const [current, setCurrent] = useState(0);
  // eslint-disable-next-line react-hooks/incompatible-library -- no compiler; the virtualizer renders itself
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
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
    requestAnimationFrame(() => scroller.current?.querySelector<HTMLElement>(`[data-index="${String(to)}"]`)?.focus());
  };
  return (
    // eslint-disable-next-line jsx-a11y/no-static-element-interactions -- arrow keys move its focus
    <div className={styles.rows} ref={scroller} onKeyDown={move}>
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
                  scale={scale}
                  now={hasOpen(row) ? now : 0}
                  zone={zone}
                  strip={strip}
                  nameWidth={nameWidth}
                  selected={row.run.key === selected}
                  reachable={item.index === stop}
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

const hasOpen = (row: Row) => row.bars.some((b) => b.to === undefined);

interface LineProps extends Pick<Props, 'zone' | 'strip' | 'onSelect'> {
  row: Row;
  index: number;
  scale: Scale;
  now: number;
  nameWidth: number;
  selected: boolean;
  reachable: boolean;
}

const RowLine = memo(function RowLine({
  row,
  index,
  scale,
  now,
  zone,
  strip,
  nameWidth,
  selected,
  reachable,
  onSelect,
}: LineProps) {
  const { t } = useTranslation(['batch', 'states']);
  const { run, bars } = row;
  const name = useTaskName(run.key);
  const state = shownState(run);
  const last = bars.at(-1);
  const end = (b: Bar) => b.to ?? Math.max(now, b.from);
  const took = useTook();
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
        {!strip && <Glyph state={state} size={16} />}
        <bdi title={name === run.key ? undefined : run.key}>{name}</bdi>
      </span>
      <span className="hg-visually-hidden">{t(`states:${state}`)}</span>
      {bars.map((b) => {
        const x = scale.x(b.from);
        return (
          <Tooltip key={b.from} label={barText(b, zone, took(end(b) - b.from), t as never)} position="top">
            <i
              className={styles.bar}
              data-state={b.state}
              style={{ left: nameWidth + x, width: Math.max(3, scale.x(end(b)) - x) }}
            />
          </Tooltip>
        );
      })}
      {!strip && last && (
        <span className={styles.duration} style={{ left: nameWidth + scale.x(end(last)) + 8 }}>
          {took(end(last) - last.from)}
        </span>
      )}
    </button>
  );
});

function barText(
  b: Bar,
  zone: string | undefined,
  duration: string,
  t: (key: string, values?: object) => string,
): string {
  const from = exact(b.from, { zone, seconds: true });
  const to = b.to === undefined ? '…' : exact(b.to, { zone, seconds: true }).slice(11);
  return t('timeline.bar', { n: b.attempt, state: t(`states:${b.state}`), from, to, took: duration });
}
