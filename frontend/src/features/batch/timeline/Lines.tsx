import { Tooltip } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type PointerEvent, type Ref, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { taskKeyOf } from '@/live';
import { useTook } from '@/ui';
import type { Drawing } from './drawing';
import { JobLine } from './JobLine';
import { type Line, ranAt } from './lines';
import { roundStarts } from './rows';
import { type Scale, ticksOf, timeOf } from './scale';
import { ShardLine, Unfold } from './ShardLine';
import { TaskLine } from './TaskLine';
import { useLineFocus } from './useLineFocus';
import type { TimelineData } from './useTimeline';
import styles from './Timeline.module.css';

interface Props extends Drawing {
  lines: readonly Line[];
  /** Pixels: the width of the axis, and its left end. */
  width: number;
  left: number;
  sizeRef: Ref<HTMLDivElement>;
  selected?: string;
  onSelect: (task: string) => void;
  toggle: (job: string) => void;
  /** The tasks whose shards have lines. */
  unfolded: ReadonlySet<string>;
  toggleShards: (task: string) => void;
}

/** Pixels: the height of a line, by the kind of the pointer. The style sheet has the same heights. */
const LINE_HEIGHT = { fine: 24, coarse: 36 };
const COARSE = '(pointer: coarse), (max-width: 600px)';

/** Height of the axis (pixels), which stays over the lines while they scroll. */
const AXIS = 30;

/** The axis and the visible lines. Keys move the focus between lines, and fold jobs. */
export function Lines(props: Props) {
  const { lines, data, scale, zone, narrow, width, left, sizeRef, selected } = props;
  const { t } = useTranslation(['timeline', 'batch']);
  const scroller = useRef<HTMLDivElement>(null);
  const coarse = useMediaQuery(COARSE, undefined, { getInitialValueInEffect: false }) ?? false;
  const height = coarse ? LINE_HEIGHT.coarse : LINE_HEIGHT.fine;
  // eslint-disable-next-line react-hooks/incompatible-library -- no compiler; the virtualizer renders itself
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 12,
    scrollPaddingStart: AXIS,
  });
  useLayoutEffect(() => {
    virtual.measure();
  }, [virtual, height]);
  const [current, setCurrent] = useState('');
  const focus = useLineFocus(scroller);
  const onKeyDown = (event: KeyboardEvent) => {
    const index = Number((event.target as HTMLElement).closest<HTMLElement>('[data-index]')?.dataset.index);
    const line = lines[index];
    if (!line) return;
    const to = target(event.key, index, props);
    if (to === undefined) return;
    event.preventDefault();
    setCurrent(lines[to]?.key ?? '');
    virtual.scrollToIndex(to);
    focus(to);
  };
  const [cursor, setCursor] = useState<number>();
  const onPointerMove = (event: PointerEvent) => {
    const x = event.clientX - (scroller.current?.getBoundingClientRect().left ?? 0) - left;
    setCursor(event.pointerType === 'mouse' && x >= 0 && x <= width ? x : undefined);
  };
  const drawing = useMemo(() => ({ data, scale, zone, narrow }), [data, scale, zone, narrow]);
  const stop = stopOf(lines, selected, current);
  return (
    // eslint-disable-next-line jsx-a11y/no-static-element-interactions -- arrow keys move its focus
    <div
      className={styles.scroller}
      ref={scroller}
      onKeyDown={onKeyDown}
      onPointerMove={onPointerMove}
      onPointerLeave={() => {
        setCursor(undefined);
      }}
    >
      <Axis {...drawing} left={left} width={width} cursor={cursor} lines={lines} />
      <div className={styles.plane} style={{ height: virtual.getTotalSize() }} ref={sizeRef}>
        <Back {...drawing} left={left} width={width} />
        <div role="list" aria-label={t('batch:timeline.label')}>
          {virtual.getVirtualItems().map((item) => {
            const line = lines[item.index];
            if (!line) return null;
            return (
              <div
                key={line.key}
                role="listitem"
                className={styles.row}
                style={{ top: item.start, height }}
                aria-setsize={lines.length}
                aria-posinset={item.index + 1}
              >
                <OneLine {...props} {...{ drawing, line }} index={item.index} reachable={item.index === stop} />
              </div>
            );
          })}
        </div>
        <div aria-hidden="true">
          <PathLinks data={data} lines={lines} scale={scale} left={left} height={height} />
          {cursor !== undefined && (
            <>
              <i className={styles.cursor} style={{ left: left + cursor }} />
              {virtual
                .getVirtualItems()
                .filter((item) => ranAt(data.rows, lines[item.index], scale.at(cursor), data.now))
                .map((item) => (
                  <i
                    key={item.key}
                    className={styles.dot}
                    style={{ left: left + cursor, top: item.start + height / 2 }}
                  />
                ))}
            </>
          )}
        </div>
      </div>
    </div>
  );
}

const STEPS: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: 20,
  PageUp: -20,
  Home: -Infinity,
  End: Infinity,
};

type LineProps = Pick<Props, 'selected' | 'onSelect' | 'toggle' | 'unfolded' | 'toggleShards'> & {
  drawing: Drawing;
  line: Line;
  index: number;
  reachable: boolean;
};

/** A line of any kind. */
function OneLine({ drawing, line, index, reachable, selected, onSelect, toggle, unfolded, toggleShards }: LineProps) {
  const common = { drawing, index, reachable };
  if (line.kind === 'job') return <JobLine {...common} line={line} onToggle={toggle} />;
  // While its lines are folded, the line of the task stands for a chosen shard.
  const folded = line.kind === 'task' && !unfolded.has(line.key) && selected !== undefined;
  const chosen = { selected: line.key === (folded ? taskKeyOf(selected) : selected), onSelect };
  if (line.kind === 'shard') return <ShardLine {...common} {...chosen} line={line} />;
  return (
    <>
      <TaskLine {...common} {...chosen} row={line.row} />
      {hasShards(drawing.data, line) && (
        <Unfold
          task={line.key}
          index={index}
          unfolded={unfolded.has(line.key)}
          narrow={drawing.narrow}
          reachable={reachable}
          onToggle={toggleShards}
        />
      )}
    </>
  );
}

const hasShards = ({ rows }: TimelineData, line: Line) =>
  line.kind === 'task' && (rows[line.row]?.run.shards?.length ?? 0) > 0;

type Folds = Pick<Props, 'lines' | 'data' | 'toggle' | 'unfolded' | 'toggleShards'>;

/** The line that a key moves the focus to; undefined for other keys. Left and right fold and unfold jobs and shards. */
function target(key: string, index: number, folds: Folds): number | undefined {
  const { lines } = folds;
  if (key === 'ArrowLeft' || key === 'ArrowRight') return sideways(key === 'ArrowRight', index, folds);
  const step = STEPS[key];
  return step === undefined ? undefined : Math.max(0, Math.min(lines.length - 1, index + step));
}

function sideways(right: boolean, index: number, { lines, data, toggle, unfolded, toggleShards }: Folds) {
  const line = lines[index];
  if (!line) return undefined;
  if (line.kind === 'job') {
    if (line.folded === right) toggle(line.job);
    return index;
  }
  if (hasShards(data, line) && unfolded.has(line.key) !== right) {
    toggleShards(line.key);
    return index;
  }
  const above = line.kind === 'shard' ? 'task' : 'job';
  const head = lines.slice(0, index).findLastIndex((other) => other.kind === above);
  return !right && head >= 0 ? head : undefined;
}

/** The line that the Tab key reaches. */
function stopOf(lines: readonly Line[], selected: string | undefined, current: string): number {
  const at = (key: string | undefined) => lines.findIndex((line) => line.key === key);
  const shard = at(selected);
  const [chosen, last] = [shard >= 0 ? shard : at(taskKeyOf(selected)), at(current)];
  return Math.max(0, last >= 0 ? last : chosen);
}

interface PlaneProps extends Drawing {
  left: number;
  width: number;
}

/** How many tasks a line shows. */
function tasksOf(line: Line): number {
  if (line.kind === 'job') return line.folded ? line.rows.length : 0;
  return line.kind === 'task' ? 1 : 0;
}

/** The times of day, the heads of the columns, and the time at the cursor. */
function Axis({
  data,
  scale,
  zone,
  narrow,
  left,
  width,
  cursor,
  lines,
}: PlaneProps & { cursor?: number; lines: readonly Line[] }) {
  const { t } = useTranslation('timeline');
  const took = useTook();
  const ticks = useMemo(() => (width > 0 ? ticksOf(scale, zone, narrow ? 60 : 92) : []), [scale, zone, width, narrow]);
  const moment = cursor === undefined ? 0 : scale.at(cursor);
  const span = (scale.pieces.at(-1)?.to ?? 0) - (scale.pieces[0]?.from ?? 0);
  const shown = lines.reduce((sum, line) => sum + tasksOf(line), 0);
  return (
    <div className={styles.axis} aria-hidden="true">
      <span className={styles.count}>{t('tasks', { count: shown })}</span>
      {ticks
        .filter(({ x }) => x > 14 && x < width - 14)
        .map((tick) => (
          <span key={tick.at} className={styles.tick} style={{ left: left + tick.x }}>
            {tick.label}
          </span>
        ))}
      {cursor !== undefined && (
        <b className={styles.pill} style={{ left: left + Math.min(Math.max(cursor, 50), Math.max(50, width - 50)) }}>
          {timeOf(moment, zone, span < 10_000 ? 1 : 1000)} · {took(moment - (data.begin ?? moment))}
        </b>
      )}
      <span className={styles.columns}>
        <span>{t('took')}</span>
        {!narrow && <span>{t('usually')}</span>}
      </span>
    </div>
  );
}

/** Width of the number of a round, in pixels. With less space after its line, it is shown before the line. */
const ROUND_WIDTH = 70;

/** Behind the lines: the marks of the axis, pauses, rounds and now. */
function Back({ data, scale, zone, narrow, left, width }: PlaneProps) {
  const { t } = useTranslation(['batch', 'timeline']);
  const took = useTook();
  const ticks = useMemo(() => (width > 0 ? ticksOf(scale, zone, narrow ? 60 : 92) : []), [scale, zone, width, narrow]);
  const rounds = useMemo(() => roundStarts(data.rows), [data.rows]);
  return (
    <div aria-hidden="true">
      {ticks.map((tick) => (
        <i key={tick.at} className={styles.grid} style={{ left: left + tick.x }} />
      ))}
      {scale.pieces
        .filter((p) => p.pause)
        .map((p) => (
          <Tooltip key={p.from} label={t('batch:timeline.pause', { time: took(p.to - p.from) })}>
            <i className={styles.pause} style={{ left: left + p.x0, width: p.x1 - p.x0 }}>
              <b>{took(p.to - p.from)}</b>
            </i>
          </Tooltip>
        ))}
      {rounds.map((r) => (
        <i
          key={r.round}
          className={styles.round}
          data-end={width - scale.x(r.at) < ROUND_WIDTH || undefined}
          style={{ left: left + scale.x(r.at) }}
        >
          <b>{t('batch:round', { n: r.round })}</b>
        </i>
      ))}
      {data.now > 0 && <i className={styles.now} style={{ left: left + scale.x(data.now) }} />}
    </div>
  );
}

interface LinksProps {
  data: TimelineData;
  lines: readonly Line[];
  scale: Scale;
  left: number;
  height: number;
}

/** The parts of the critical path between lines. The parts within a line are drawn with it. */
function PathLinks({ data, lines, scale, left, height }: LinksProps) {
  const lineOf = useMemo(() => {
    const out = new Map<number, number>();
    lines.forEach((line, i) => {
      if (line.kind === 'task') out.set(line.row, i);
      else if (line.kind === 'job' && line.folded) line.rows.forEach((row) => out.set(row, i));
    });
    return out;
  }, [lines]);
  const steps = data.path?.steps ?? [];
  return steps.slice(1).map((step, i) => {
    const [a, b] = [lineOf.get(steps[i]?.row ?? -1), lineOf.get(step.row)];
    if (a === undefined || b === undefined || a === b) return null;
    return (
      <i
        key={step.row}
        className={styles.link}
        style={{
          left: left + scale.x(step.from),
          top: (Math.min(a, b) + 0.5) * height,
          height: Math.abs(a - b) * height,
        }}
      />
    );
  });
}
