import { useStoreApi } from '@xyflow/react';
import { type ComponentType, memo, useLayoutEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { edgeKey, type GraphJob, type TaskGraph } from '@/graph';
import type { VisibleRange } from './camera';
import { svgPath } from './curve';
import styles from './LanesAndEdges.module.css';
import { LaneTitle } from './LaneTitle';
import { litTrail, useSceneState, useSceneContext } from './sceneStore';
import type { Edge, Lane, Layout, Rect } from './types';

/** From this offset on, the head of a lane is fully out of sight, in scene pixels; see LanesAndEdges.module.css. */
const AT_EDGE = 56;

const NONE: ReadonlySet<string> = new Set();

interface Props {
  graph: TaskGraph;
  layout: Layout;
  /** Only lanes and edges in this range are mounted. */
  range: VisibleRange;
  redundant: boolean;
}

/** The layer below the cards: lanes with their heads, and edges. It never receives pointer events. */
export const LanesAndEdges = memo(function LanesAndEdges({ graph, layout, range, redundant }: Props) {
  const {
    renderer: { Head = PlainHead },
  } = useSceneContext();
  const lanes = layout.lanes.filter((lane) => lane.y <= range.bottom && lane.y + lane.height >= range.top);
  const element = useRef<HTMLDivElement>(null);
  const pinnedHeads = useRef<HTMLDivElement>(null);
  const flow = useStoreApi();
  // Written without React: it changes with every move, and only the heads of lanes depend on it.
  useLayoutEffect(() => {
    let last = { x: NaN, zoom: NaN };
    const update = () => {
      const {
        transform: [x, , zoom],
      } = flow.getState();
      if (x === last.x && zoom === last.zoom) return;
      last = { x, zoom };
      const left = Math.max(0, -x / zoom);
      const style = element.current?.style;
      // Each change of the property computes styles again. Once all heads are out of sight, only the pinned ones move.
      const near = String(layout.narrow ? left : Math.min(left, AT_EDGE));
      if (style?.getPropertyValue('--visible-left') !== near) {
        style?.setProperty('--visible-left', near);
        element.current?.toggleAttribute('data-away', !layout.narrow && left >= AT_EDGE);
      }
      if (pinnedHeads.current) pinnedHeads.current.style.transform = `translateX(${left}px)`;
    };
    update();
    return flow.subscribe(update);
  }, [flow, layout, range]);
  return (
    <div ref={element} className={styles.ground}>
      <div aria-hidden="true">
        <div className={styles.paper} style={{ width: layout.width, height: layout.height }} />
        {lanes.map((lane) => (
          <LaneFloor key={lane.key} lane={lane} />
        ))}
        <svg className={styles.edges}>
          <QuietEdges layout={layout} range={range} redundant={redundant} />
          <LitEdges layout={layout} redundant={redundant} />
          <FailureEdges layout={layout} redundant={redundant} />
        </svg>
      </div>
      {lanes.map((lane) => (
        <LaneFront key={lane.key} Head={Head} lane={lane} job={graph.jobs[lane.index]} narrow={layout.narrow} />
      ))}
      {!layout.narrow && (
        <div ref={pinnedHeads} className={styles.pinnedHeads} aria-hidden="true">
          {lanes.map((lane) => (
            <PinnedHead key={lane.key} lane={lane} job={graph.jobs[lane.index]} />
          ))}
        </div>
      )}
    </div>
  );
});

const LaneFloor = memo(function LaneFloor({ lane }: { lane: Lane }) {
  return (
    <div className={styles.lane} style={rectStyle(lane)} data-lane={lane.key}>
      {lane.waitsForAll && <i className={styles.gate} />}
    </div>
  );
});

/** Memoized, because other lanes are mounted and unmounted while the view moves. */
const LaneFront = memo(function LaneFront({ Head, ...head }: HeadProps & { Head: ComponentType<HeadProps> }) {
  return (
    <div className={styles.front} data-narrow={head.narrow || undefined} style={rectStyle(head.lane)}>
      <Head {...head} />
    </div>
  );
});

/**
 * Number and title of a lane at the edge of the screen, while its head is out of sight. CSS inserts the title, so that
 * the page's text has it only once.
 */
const PinnedHead = memo(function PinnedHead({ lane: { x, y, index }, job }: { lane: Lane; job?: GraphJob }) {
  return (
    <span className={styles.pinnedHead} style={{ left: x, top: y }} data-head="">
      <b>{index + 1}</b>
      <bdi data-title={job?.title ?? job?.key} />
    </span>
  );
});

interface HeadProps {
  lane: Lane;
  job?: GraphJob;
  narrow: boolean;
}

function PlainHead({ lane, job }: { lane: Lane; job?: GraphJob }) {
  return <LaneTitle index={lane.index} job={job} />;
}

const rectStyle = ({ x, y, width, height }: Rect) => ({ left: x, top: y, width, height });

/** Edges in one path, and their vertical range. */
interface Chunk {
  top: number;
  bottom: number;
  d: string;
}

/** All edges below the lit and the red ones, in one path for each lane in which they start. */
function QuietEdges({ layout, range, redundant }: { layout: Layout; range: VisibleRange; redundant: boolean }) {
  const {
    renderer: { removedEdges = NONE },
  } = useSceneContext();
  const chunks = useMemo(() => {
    const isRemoved = ({ from, to }: Edge) => removedEdges.has(edgeKey(from, to));
    const drawn = layout.edges.filter((edge) => !edge.redundant);
    return {
      kept: chunksOf(
        layout,
        drawn.filter((edge) => !isRemoved(edge)),
      ),
      removed: chunksOf(layout, drawn.filter(isRemoved)),
    };
  }, [layout, removedEdges]);
  const redundantChunks = useMemo(
    () =>
      redundant
        ? chunksOf(
            layout,
            layout.edges.filter((edge) => edge.redundant),
          )
        : [],
    [layout, redundant],
  );
  const ties = useMemo(
    () =>
      layout.lanes.map((lane) => ({
        top: lane.y,
        bottom: lane.y + lane.height,
        d: lane.ties.map(({ x, y }) => `M${x} ${lane.y}V${y}`).join(''),
      })),
    [layout],
  );
  // After an edit, cards glide to their positions while the edges fade in.
  const [drawn, setDrawn] = useState({ layout, version: 0 });
  if (drawn.layout !== layout) setDrawn({ layout, version: drawn.version + 1 });
  const { version } = drawn;
  const shown = (all: readonly Chunk[]) =>
    all.map((chunk, i) =>
      chunk.d && chunk.top <= range.bottom && chunk.bottom >= range.top ? <path key={i} d={chunk.d} /> : null,
    );
  return (
    <g key={version} className={styles.quiet} data-quiet="" data-again={version > 0 || undefined}>
      <g className={styles.tied}>{shown(ties)}</g>
      <g className={styles.redundant}>{shown(redundantChunks)}</g>
      {shown(chunks.kept)}
      <g className={styles.removed}>{shown(chunks.removed)}</g>
    </g>
  );
}

/** Groups edges by the lane in which they start. */
function chunksOf(layout: Layout, edges: readonly Edge[]): Chunk[] {
  const byLane = new Map<number, Edge[]>();
  for (const edge of edges) {
    const lane = layout.boxes.get(edge.from)?.lane ?? 0;
    const list = byLane.get(lane);
    if (list) list.push(edge);
    else byLane.set(lane, [edge]);
  }
  return [...byLane.values()].map((list) => ({
    top: Math.min(...list.map((edge) => edge.points[0]?.y ?? 0)),
    bottom: Math.max(...list.map((edge) => edge.points.at(-1)?.y ?? 0)),
    d: svgPath(list),
  }));
}

/** The edges of the lit trail, above all others. */
function LitEdges({ layout, redundant }: { layout: Layout; redundant: boolean }) {
  const trail = useSceneState(litTrail);
  return trail ? <EdgePath className={styles.lit} layout={layout} edges={trail.edges} redundant={redundant} /> : null;
}

/** The edges on the paths of failures, in red. */
function FailureEdges({ layout, redundant }: { layout: Layout; redundant: boolean }) {
  const { renderer } = useSceneContext();
  // One text, because equal texts are the same value for React and equal arrays are not.
  const text = useSyncExternalStore(renderer.subscribe, () => renderer.failureEdges().join(' '));
  const edges = useMemo(() => new Set(text.split(' ')), [text]);
  return <EdgePath className={styles.failure} layout={layout} edges={edges} redundant={redundant} />;
}

interface EdgePathProps {
  className?: string;
  layout: Layout;
  edges: ReadonlySet<string>;
  redundant: boolean;
}

/** Some edges in one path. */
const EdgePath = memo(function EdgePath({ className, layout, edges, redundant }: EdgePathProps) {
  const d = useMemo(
    () =>
      svgPath(layout.edges.filter((edge) => edges.has(edgeKey(edge.from, edge.to)) && (redundant || !edge.redundant))),
    [layout, edges, redundant],
  );
  return d ? <path className={className} d={d} /> : null;
});
