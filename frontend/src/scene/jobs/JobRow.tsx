import { memo, useMemo } from 'react';
import type { TFunction } from 'i18next';
import type { GraphJob } from '@/graph';
import { Glyph, GLYPHS, segments, type ShownState } from '@/ui';
import { cardId, laneMark, type SceneRenderer, useSceneContext, useSceneState } from '../sceneStore';
import type { Bars, Lane } from '../types';
import styles from './JobBars.module.css';
import { barLength, openEnd, SEVERITY, worstState } from './jobsLayout';

type Counts = Readonly<Record<string, number>>;

interface Props {
  /** The texts, looked up once for all rows. */
  t: TFunction<'zoom'>;
  lane: Lane;
  bars: Bars;
  job?: GraphJob;
  counts?: Counts;
  editing: boolean;
  narrow: boolean;
  /** The width of a name, measured with the fonts that are loaded. */
  measure: (name: string) => number;
  onToggle: (job: string) => void;
  onPoint: (job: string | undefined) => void;
}

const NONE: Counts = {};

/**
 * The row of a job: its number, name, count and worst state, and its bar. A click opens or folds it. While editing, a
 * press on the number or name selects the job, as on the head of a lane.
 */
export const JobRow = memo(function JobRow({ t, lane, bars, job, counts = NONE, editing, ...props }: Props) {
  const { narrow, measure, onToggle, onPoint } = props;
  const { id } = useSceneContext();
  const mark = laneMark(lane.key);
  const active = useSceneState((s) => s.active === mark);
  const focused = useSceneState((s) => s.focused && s.active === mark);
  const open = lane.height > bars.pitch;
  const tasks = job?.tasks.length ?? 0;
  const name = job?.title ?? lane.key;
  const { x, y, width, height } = lane;
  return (
    <div
      className={styles.row}
      data-open={open || undefined}
      data-narrow={narrow || undefined}
      style={{ left: x, top: y, width: open ? openEnd(bars) - x : width, height }}
    >
      {lane.waitsForAll && <i className={styles.gate} aria-hidden="true" />}
      {/* The scene's element has the focus and handles keys: see useInteraction.ts. */}
      {/* eslint-disable-next-line jsx-a11y/click-events-have-key-events -- see above */}
      <div
        id={cardId(id, mark)}
        role="button"
        tabIndex={-1}
        aria-expanded={open}
        className={styles.head}
        style={{ height: bars.pitch }}
        data-job={lane.key}
        data-active={focused || undefined}
        data-current={active || undefined}
        onClick={(event) => {
          const onHead = event.target instanceof Element && event.target.closest('[data-lane-head]') !== null;
          if (!onHead) onToggle(lane.key);
        }}
        onMouseEnter={() => {
          onPoint(lane.key);
        }}
        onMouseLeave={() => {
          onPoint(undefined);
        }}
      >
        <span
          className={styles.name}
          style={{ width: bars.left - x - 58 }}
          data-lane-head={editing ? lane.key : undefined}
          aria-hidden="true"
        >
          <b className={styles.no}>{lane.index + 1}</b>
          <bdi data-cut={editing || isLong(measure(name), bars.left - x) || undefined}>{name}</bdi>
          <Marks job={job} />
          <small>{tasks}</small>
        </span>
        <span className={styles.toggle} data-own="" aria-hidden="true">
          <svg className={styles.chevron} viewBox="0 0 16 16" width="14" height="14">
            <path d="M5.5 4l4 4-4 4" />
          </svg>
          <Worst counts={counts} />
          <Bar counts={counts} tasks={tasks} bars={bars} left={bars.left - x} />
        </span>
        <span className={styles.spoken}>
          <Label t={t} n={lane.index + 1} name={name} tasks={tasks} counts={counts} />
          <Marks job={job} spoken />
        </span>
      </div>
    </div>
  );
});

/** What stands beside the name of a job in the left part of its row, in pixels, with the largest numbers. */
const BESIDE_NAME = 138;

/** Whether the name of a job may be too long for the left part of its row. Its font is larger than that of cards. */
const isLong = (width: number, left: number) => width * 1.06 > left - BESIDE_NAME;

/** The marks that the page has for a job. */
function Marks({ job, spoken }: { job?: GraphJob; spoken?: boolean }) {
  const {
    renderer: { JobMarks },
  } = useSceneContext();
  return JobMarks && job ? <JobMarks job={job} spoken={spoken} /> : null;
}

/** The glyph of the worst state. */
function Worst({ counts }: { counts: Counts }) {
  const state = worstState(counts);
  if (state === 'none') return <i className={styles.glyph} />;
  return (
    <i className={styles.glyph}>
      <Glyph state={state in GLYPHS ? (state as ShownState) : 'none'} size={18} />
    </i>
  );
}

/** The bar: one part for each state. A part has its number if there is room. */
function Bar({ counts, tasks, bars, left }: { counts: Counts; tasks: number; bars: Bars; left: number }) {
  const length = barLength(bars, tasks);
  const rest = counts.none ?? 0;
  const parts = [...segments(counts), ...(rest > 0 ? [{ state: 'none', count: rest }] : [])];
  const height = Math.max(12, Math.round(bars.pitch * 0.56));
  return (
    <span
      className={styles.bar}
      style={{ left, width: length, height, lineHeight: `${String(height)}px`, top: (bars.pitch - height) / 2 }}
    >
      {parts.map(({ state, count }) => (
        <i key={state} data-state={state} style={{ flexGrow: count }}>
          {(length * count) / Math.max(1, tasks) >= String(count).length * 7 + 8 ? count : null}
        </i>
      ))}
    </span>
  );
}

/** The most texts of counts that are kept. */
const MOST_TEXTS = 2000;
const countTexts = new WeakMap<SceneRenderer, Map<string, string>>();

/** The text of a count, such as `2 failed`. It is kept: the rows of a live batch have hundreds of them each second. */
function countText(t: TFunction<'zoom'>, renderer: SceneRenderer, state: string, n: number | undefined): string {
  const kept = countTexts.get(renderer) ?? new Map<string, string>();
  countTexts.set(renderer, kept);
  const key = `${String(n)} ${state}`;
  let text = kept.get(key);
  if (text === undefined) {
    const word = renderer.nameOfState?.(state);
    text = word ? t('counted', { n, state: word }) : '';
    if (kept.size >= MOST_TEXTS) kept.clear();
    kept.set(key, text);
  }
  return text;
}

interface LabelProps {
  t: TFunction<'zoom'>;
  n: number;
  name: string;
  tasks: number;
  counts: Counts;
}

/** The row for screen readers: the job, and its tasks by state, the worst first. Successes are named if alone. */
function Label({ t, n, name, tasks, counts }: LabelProps) {
  const { renderer } = useSceneContext();
  const [head, comma] = useMemo(() => [t('job', { n, job: name, count: tasks }), t('comma')], [t, n, name, tasks]);
  const states = SEVERITY.filter((state) => counts[state]);
  const named = states.length > 1 ? states.filter((state) => state !== 'succeeded') : states;
  const parts = named.map((state) => countText(t, renderer, state, counts[state]));
  return [head, ...parts.filter(Boolean)].join(comma);
}
