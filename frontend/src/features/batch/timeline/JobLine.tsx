import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { type ShownState, STATE_ORDER, useJobName, useTook } from '@/ui';
import type { Drawing } from './drawing';
import { type JobLine as Line, spansOf } from './lines';
import { PathParts } from './PathParts';
import { type Scale, timeOf } from './scale';
import styles from './Timeline.module.css';

interface Props {
  drawing: Drawing;
  line: Line;
  index: number;
  reachable: boolean;
  onToggle: (job: string) => void;
}

/** Pixels: periods of a job that are closer together are one bar. */
const CLOSE = 3;
/** Failures that a folded job marks, at most. */
const MOST_MARKS = 40;

/** The head of a job: when its tasks ran, and how many are in which state. */
export const JobLine = memo(function JobLine({ drawing, line, index, reachable, onToggle }: Props) {
  const { data, scale, zone, narrow } = drawing;
  const { t } = useTranslation(['timeline', 'states']);
  const took = useTook();
  const name = useJobName(line.job);
  const { rows, now } = data;
  const spans = spansOf(rows, line.rows, now, CLOSE * perPixelOf(scale));
  const [from, to] = [spans[0]?.[0], spans.at(-1)?.[1]];
  const usual = usualOf(drawing, line);
  const unusual = STATE_ORDER.filter((state) => state !== 'succeeded' && line.counts[state]);
  const states = unusual.map((state: ShownState) => `${String(line.counts[state])} ${t(`states:${state}`)}`);
  const duration = from === undefined || to === undefined ? undefined : to - from - pausedIn(drawing, from, to);
  return (
    <button
      type="button"
      className={styles.head}
      data-index={index}
      aria-expanded={!line.folded}
      aria-label={[
        t('job', { name }),
        t('tasks', { count: line.rows.length }),
        ...states,
        from === undefined ? '' : t('label.started', { at: timeOf(from, zone) }),
        duration === undefined ? '' : t('label.took', { time: took(duration) }),
      ]
        .filter(Boolean)
        .join(', ')}
      tabIndex={reachable ? 0 : -1}
      onClick={() => {
        onToggle(line.job);
      }}
    >
      <span className={styles.name}>
        <svg viewBox="0 0 8 8" width={8} height={8} aria-hidden="true" data-folded={line.folded}>
          <path d="M1 2l3 4 3-4z" fill="currentColor" />
        </svg>
        <b className={styles.number}>{line.number}</b>
        <bdi>{name}</bdi>
        {!narrow && <small data-state={unusual[0]}>{states[0] ?? line.rows.length}</small>}
      </span>
      <span className={styles.area}>
        {line.folded && usual && <i className={styles.ghost} style={{ left: usual.x, width: usual.width }} />}
        {spans.map(([a, b]) => (
          <i
            key={a}
            className={styles.summary}
            data-folded={line.folded || undefined}
            style={{ left: scale.x(a), width: Math.max(3, scale.x(b) - scale.x(a)) }}
          />
        ))}
        {line.folded && <FoldedMarks drawing={drawing} line={line} />}
      </span>
      <Durations took={duration} usual={usual?.took} goesOn={now > 0 && to === now} narrow={narrow} />
    </button>
  );
});

interface DurationsProps {
  took: number | undefined;
  usual: number | undefined;
  goesOn: boolean;
  narrow: boolean;
}

/** How long the job took, and beside it, if there is room, how long it usually takes. */
function Durations({ took, usual, goesOn, narrow }: DurationsProps) {
  const text = useTook();
  return (
    <span className={styles.columns}>
      <span>{took === undefined ? '' : text(took, goesOn)}</span>
      {!narrow && <span className={styles.usually}>{usual === undefined ? '' : text(usual)}</span>}
    </span>
  );
}

/** What the lines of its tasks would show, were the job not folded: failures, and parts of the critical path. */
function FoldedMarks({ drawing, line }: { drawing: Drawing; line: Line }) {
  const { data, scale } = drawing;
  return (
    <>
      {failuresOf(drawing, line).map((at) => (
        <i key={at} className={styles.failure} style={{ left: scale.x(at) }} />
      ))}
      {line.rows
        .flatMap((row) => data.steps.get(row) ?? [])
        .map((step) => (
          <PathParts key={step.row} step={step} scale={scale} />
        ))}
    </>
  );
}

/** Time per pixel, outside of pauses. */
function perPixelOf({ pieces }: Scale): number {
  const piece = pieces.find((p) => !p.pause && p.x1 > p.x0);
  return piece ? (piece.to - piece.from) / (piece.x1 - piece.x0) : 0;
}

/** The usual run of a job: from the first usual start of its tasks to the last usual end. */
function usualOf({ data, scale }: Drawing, line: Line) {
  let [begin, end] = [Infinity, -Infinity];
  for (const row of line.rows) {
    const one = data.usual.get(data.rows[row]?.run.key ?? '');
    if (one) [begin, end] = [Math.min(begin, one.begin), Math.max(end, one.begin + one.took)];
  }
  if (end < begin || data.begin === undefined) return undefined;
  const x = scale.x(data.begin + begin);
  return { x, width: Math.max(4, scale.x(data.begin + end) - x), took: end - begin };
}

/** The milliseconds of a period in which nothing ran, as between rounds. */
function pausedIn({ scale }: Drawing, from: number, to: number): number {
  return scale.pieces
    .filter((piece) => piece.pause)
    .reduce((sum, piece) => sum + Math.max(0, Math.min(to, piece.to) - Math.max(from, piece.from)), 0);
}

/** When tasks of a folded job failed. */
function failuresOf({ data }: Drawing, line: Line): number[] {
  const out = new Set<number>();
  for (const row of line.rows) {
    const { run, bars } = data.rows[row] ?? {};
    const to = bars?.at(-1)?.to;
    if (run?.state === 'failed' && to !== undefined && out.size < MOST_MARKS) out.add(to);
  }
  return [...out];
}
