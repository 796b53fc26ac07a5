import { memo, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { JobBundle, TaskGraph } from '@/graph';
import type { VisibleRange } from '../camera';
import type { Bars, Layout, Point } from '../types';
import styles from './JobBars.module.css';
import { quietBundles, type RibbonPart, type Ribbons as RibbonsData, ribbonsOf, type Room, widthOf } from './ribbons';

interface Props {
  graph: TaskGraph;
  layout: Layout;
  bars: Bars;
  /** Only ribbons in this range are mounted. */
  range: VisibleRange;
  bundles: readonly JobBundle[];
  skipped: readonly JobBundle[];
  /** The job whose ribbons are lit. */
  lit?: string;
}

/** Quiet ribbons have numbers up to this many. */
const NUMBERED = 30;
/** Numbers of ribbons between neighbours need rows of this height. */
const ROOMY = 30;

/** The ribbons: quiet ones, red ones for what was skipped because of failures, and those of the lit job. */
export const Ribbons = memo(function Ribbons({ graph, layout, bars, range, bundles, skipped, lit }: Props) {
  const quiet = useMemo(() => quietBundles(bundles), [bundles]);
  const rooms = useMemo(() => roomsOf(graph, layout, bars, skipped.length > 0), [graph, layout, bars, skipped]);
  const quietRibbons = useMemo(() => ribbonsOf(quiet, rooms.quiet), [quiet, rooms]);
  const redRibbons = useMemo(() => ribbonsOf(skipped, rooms.red), [skipped, rooms]);
  const litJob = lit === undefined ? -1 : layout.lanes.findIndex((lane) => lane.key === lit);
  const litRibbons = useMemo(() => {
    const own = bundles.filter(({ from, to }) => from === litJob || to === litJob);
    return ribbonsOf(own, rooms.quiet, widthOf(quiet));
  }, [litJob, bundles, quiet, rooms]);
  const roomy = bars.pitch >= ROOMY && quiet.length <= NUMBERED;
  return (
    <svg className={styles.ribbons} aria-hidden="true">
      <Drawn kind="quiet" {...quietRibbons} range={range} numbered={roomy} bandsOnly={skipped.length > 0} />
      <Drawn kind="red" {...redRibbons} range={range} numbered />
      <Drawn kind="lit" {...litRibbons} range={range} numbered={roomy} numberedEnds />
      {!layout.narrow && <Totals {...redRibbons} end={layout.width - 10} />}
    </svg>
  );
});

/** The rooms for the trunks of quiet and red ribbons, right of the bars, and for the sums right of them. */
function roomsOf(
  graph: TaskGraph,
  { lanes, width, narrow }: Layout,
  bars: Bars,
  hasRed: boolean,
): { quiet: Room; red: Room } {
  const tasks = graph.jobs.map((job) => job.tasks.length);
  const shared = { lanes, bars, tasks };
  const from = bars.right + (narrow ? 20 : 34);
  const end = width - (narrow ? 10 : hasRed ? 92 : 24);
  const middle = hasRed ? from + (end - from) * 0.4 : end;
  return {
    quiet: { ...shared, from, to: middle, bands: true },
    red: { ...shared, from: Math.min(end, middle + (narrow ? 8 : 40)), to: end, bands: false },
  };
}

interface DrawnProps extends RibbonsData {
  kind: 'quiet' | 'red' | 'lit';
  range: VisibleRange;
  numbered: boolean;
  /** Ribbons that have a tip have numbers in any case. */
  numberedEnds?: boolean;
  /** Only ribbons between neighbours have numbers, because others would be below red ones. */
  bandsOnly?: boolean;
}

const Drawn = memo(function Drawn({
  kind,
  ribbons,
  trunks,
  range,
  numbered,
  numberedEnds = false,
  bandsOnly = false,
}: DrawnProps) {
  const inRange = ({ top, bottom }: RibbonPart) => top <= range.bottom && bottom >= range.top;
  const shown = ribbons.filter(inRange);
  const parts = [...trunks.flatMap((trunk) => trunk.parts), ...ribbons].filter(inRange);
  return (
    <g data-ribbons={kind}>
      {parts.map(({ d, width }) => (
        <path key={d} d={d} strokeWidth={width} />
      ))}
      {shown.map(({ from, to, tip, count, label, width }) => (
        <g key={`${String(from)} ${String(to)}`}>
          {tip && <Arrow {...tip} size={Math.max(4.5, width * 0.8)} />}
          {(tip ? numberedEnds || (numbered && !bandsOnly) : numbered) && <Count {...label} count={count} />}
        </g>
      ))}
    </g>
  );
});

function Arrow({ x, y, size }: Point & { size: number }) {
  return <path className={styles.arrow} d={`M${x} ${y}l${size * 1.6} ${-size}v${size * 2}z`} />;
}

/** The number of a ribbon. */
function Count({ x, y, count }: Point & { count: number }) {
  const text = String(count);
  const width = text.length * 6.5 + 10;
  return (
    <g className={styles.count}>
      <rect x={x} y={y - 7.5} width={width} height={15} rx={7.5} />
      <text x={x + width / 2} y={y + 3.5} textAnchor="middle">
        {text}
      </text>
    </g>
  );
}

/** Beside each job with failures, the number of all tasks that were skipped because of them. */
function Totals({ trunks, end }: Pick<RibbonsData, 'trunks'> & { end: number }) {
  const { t } = useTranslation('zoom');
  return (
    <g className={styles.total}>
      {trunks.map(({ from, count, corner }) => (
        <text key={from} x={end} y={corner.y + 5} textAnchor="end">
          {t('skipped', { count })}
        </text>
      ))}
    </g>
  );
}
