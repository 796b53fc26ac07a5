import { Tooltip } from '@mantine/core';
import { type CSSProperties, memo } from 'react';
import { useTranslation } from 'react-i18next';
import { Glyph, isDeclared, isSlow, reasonText, shownState, Slow, useTaskName, useTook, type UsualRun } from '@/ui';
import { BarHint, WaitHint } from './hints';
import type { Drawing } from './drawing';
import { PathParts } from './PathParts';
import { endOf, type Row } from './rows';
import type { Scale } from './scale';
import { useTaskLabel } from './words';
import styles from './Timeline.module.css';

interface Props {
  drawing: Drawing;
  index: number;
  reachable: boolean;
  /** The number of the row. */
  row: number;
  selected: boolean;
  onSelect: (task: string) => void;
}

/** A task: what it waited for, its attempts, its usual run, and its part of the critical path. */
export const TaskLine = memo(function TaskLine({ drawing, index, reachable, row: n, selected, onSelect }: Props) {
  const { data, scale, narrow } = drawing;
  const row = data.rows[n];
  const name = useTaskName(row?.run.key ?? '');
  const label = useTaskLabel(drawing);
  const took = useTook();
  if (!row) return null;
  const { run, bars } = row;
  const state = shownState(run);
  const step = data.steps.get(n);
  const usual = data.usual.get(run.key);
  const last = bars.at(-1);
  const duration = last && endOf(last, data.now) - last.from;
  return (
    <button
      type="button"
      className={styles.line}
      data-index={index}
      data-state={state}
      data-path={step ? true : undefined}
      aria-pressed={selected}
      aria-label={label(n)}
      tabIndex={reachable ? 0 : -1}
      onClick={() => {
        onSelect(run.key);
      }}
    >
      <span className={styles.name}>
        <Glyph state={state} size={15} byPerson={isDeclared(run)} />
        <bdi title={name === run.key ? undefined : run.key}>{name}</bdi>
      </span>
      <span className={styles.area}>
        <Ghost scale={scale} begin={data.begin} usual={usual} />
        {data.waits.of(n).map((wait) => {
          const [x, to] = [scale.x(wait.from), scale.x(wait.to ?? data.now)];
          if (to - x < 1.5) return null;
          return (
            <Tooltip
              key={`${wait.kind} ${String(wait.from)}`}
              label={<WaitHint drawing={drawing} row={n} wait={wait} />}
              multiline
              maw={340}
            >
              <i className={styles.wait} data-kind={wait.kind} style={{ left: x, width: to - x }} />
            </Tooltip>
          );
        })}
        {bars.map((b) => {
          const x = scale.x(b.from);
          return (
            <Tooltip
              key={b.from}
              label={<BarHint drawing={drawing} row={n} bar={b} last={b === last} />}
              multiline
              maw={340}
            >
              <i
                className={styles.bar}
                data-state={b.state}
                style={{ left: x, width: Math.max(3, scale.x(endOf(b, data.now)) - x) }}
              />
            </Tooltip>
          );
        })}
        {step && <PathParts step={step} scale={scale} />}
        <Note row={row} place={notePlace(n, drawing, usual)} />
      </span>
      <span className={styles.columns}>
        <span>
          <Took ms={duration} running={last?.to === undefined} usual={usual} />
        </span>
        {!narrow && <span className={styles.usually}>{usual ? took(usual.took) : ''}</span>}
      </span>
    </button>
  );
});

function Took({ ms, running, usual }: { ms?: number; running: boolean; usual?: UsualRun }) {
  const took = useTook();
  if (ms === undefined) return null;
  return isSlow(ms, usual) ? <Slow>{took(ms, running)}</Slow> : took(ms, running);
}

/** The outline of the usual run. */
function Ghost({ scale, begin, usual }: { scale: Scale; begin?: number; usual?: UsualRun }) {
  const place = ghostPlace(scale, begin, usual);
  return place ? <i className={styles.ghost} style={{ left: place.x, width: place.end - place.x }} /> : null;
}

/** Where the usual run stands, in pixels. Undefined where the axis does not show its time. */
function ghostPlace(scale: Scale, begin?: number, usual?: UsualRun): { x: number; end: number } | undefined {
  if (begin === undefined || !usual) return undefined;
  const from = begin + usual.begin;
  const piece = scale.pieces.find(({ to }) => from < to);
  if (!piece || piece.pause) return undefined;
  const x = scale.x(from);
  return { x, end: Math.max(x + 5, scale.x(from + usual.took)) };
}

/**
 * Where the text of a row stands: after its last bar and its usual run, or before these and its waits, so that no line
 * crosses it. Undefined: no space.
 */
function notePlace(n: number, { data, scale }: Drawing, usual: UsualRun | undefined): CSSProperties | undefined {
  const row = data.rows[n];
  if (!row) return undefined;
  const { run, bars } = row;
  const last = bars.at(-1);
  const width = scale.pieces.at(-1)?.x1 ?? 0;
  const ghost = ghostPlace(scale, data.begin, usual);
  const end = last ? endOf(last, data.now) : run.finishedAt ? Date.parse(run.finishedAt) : undefined;
  const x = Math.max(0, end === undefined ? 0 : scale.x(end), ghost?.end ?? 0) + 8;
  if (x <= width - NOTE_WIDTH) return { left: x };
  const starts = [...bars, ...data.waits.of(n)].map(({ from }) => scale.x(from));
  const start = Math.min(width, ...starts, ghost?.x ?? width) - 8;
  return start > NOTE_WIDTH ? { left: 'auto', right: width - start, maxWidth: start } : undefined;
}

/** Pixels that the text of a row needs at least. */
const NOTE_WIDTH = 150;

/** The error of a failed task, or why a task did not run. */
function Note({ row: { run, bars }, place }: { row: Row; place?: CSSProperties }) {
  const { t } = useTranslation('states');
  const failed = run.state === 'failed';
  const idle = bars.length === 0 && ['skipped', 'ignored', 'canceled', 'succeeded', 'ready'].includes(run.state);
  if (!place || (!failed && !idle)) return null;
  const text = failed ? run.error : [t(shownState(run)), reasonText(run, t)].filter(Boolean).join(': ');
  return (
    <span className={styles.note} data-error={failed || undefined} style={place}>
      {text}
    </span>
  );
}
