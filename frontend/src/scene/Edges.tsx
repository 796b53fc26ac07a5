import { memo, useCallback, useLayoutEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { edgeKey } from '@/graph';
import type { VisibleRange } from './camera';
import { svgPath } from './curve';
import styles from './LanesAndEdges.module.css';
import { litTrail, useSceneState, useSceneContext } from './sceneStore';
import type { Edge, Layout } from './types';
import { type Journey, useJourney } from './useJourney';

const NONE: ReadonlySet<string> = new Set();

interface EdgesProps {
  layout: Layout;
  /** Only edges in this range are mounted. */
  range: VisibleRange;
  redundant: boolean;
  /** After an edit, edges travel to their new places. */
  travels: boolean;
}

/** The edges of a graph: the quiet ones, above them the lit ones and those on the paths of failures. */
export function Edges({ layout, range, redundant, travels }: EdgesProps) {
  const journey = useJourney(layout, range, travels);
  return (
    <svg className={styles.edges}>
      <QuietEdges layout={layout} range={range} redundant={redundant} journey={journey} />
      <LitEdges layout={layout} redundant={redundant} journey={journey} />
      <FailureEdges layout={layout} redundant={redundant} journey={journey} />
    </svg>
  );
}

/** Edges in one path, and their vertical range. */
interface Chunk {
  top: number;
  bottom: number;
  d: string;
}

interface QuietProps extends Omit<EdgesProps, 'travels'> {
  journey?: Journey;
}

/** All edges below the lit and the red ones, in one path for each lane in which they start. */
function QuietEdges({ layout, range, redundant, journey }: QuietProps) {
  const {
    renderer: { removedEdges = NONE },
  } = useSceneContext();
  const { kept, removed, fresh, moving } = useMemo(
    () => sortEdges(layout, removedEdges, journey),
    [layout, removedEdges, journey],
  );
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
  // After an edit that changes too many edges to let them travel, they fade in while cards travel.
  const [drawn, setDrawn] = useState({ layout, version: 0, fades: false });
  if (drawn.layout !== layout) setDrawn({ layout, version: drawn.version + 1, fades: !journey });
  const { version, fades } = drawn;
  const shown = (all: readonly Chunk[]) =>
    all.map((chunk, i) =>
      chunk.d && chunk.top <= range.bottom && chunk.bottom >= range.top ? <path key={i} d={chunk.d} /> : null,
    );
  return (
    <g key={version} className={styles.quiet} data-quiet="" data-again={fades || undefined}>
      <g className={styles.tied}>{shown(ties)}</g>
      <g className={styles.redundant}>{shown(redundantChunks)}</g>
      {shown(kept)}
      <g className={styles.removed}>{shown(removed)}</g>
      {journey && (
        <>
          <MovingPath edges={moving} journey={journey} />
          <path className={styles.coming} d={svgPath(fresh)} />
          <path className={styles.going} d={svgPath(journey.travel.gone.filter((edge) => !edge.redundant))} />
        </>
      )}
    </g>
  );
}

/** The drawn edges: those that stay where they are, those that a diff shows as removed, and those that come or move. */
function sortEdges(layout: Layout, removedEdges: ReadonlySet<string>, journey: Journey | undefined) {
  const drawn = layout.edges.filter((edge) => !edge.redundant);
  const { moving, fresh } = journey?.travel ?? {};
  const named = (keys: { has: (key: string) => boolean } | undefined, edge: Edge) =>
    keys?.has(edgeKey(edge.from, edge.to)) ?? false;
  const still = journey ? drawn.filter((edge) => !named(moving, edge) && !named(fresh, edge)) : drawn;
  return {
    kept: chunksOf(
      layout,
      still.filter((edge) => !named(removedEdges, edge)),
    ),
    removed: chunksOf(
      layout,
      still.filter((edge) => named(removedEdges, edge)),
    ),
    fresh: drawn.filter((edge) => named(fresh, edge)),
    moving: drawn.filter((edge) => named(moving, edge)),
  };
}

/** Edges on their way, in one path. It is written without React, in each frame. */
function MovingPath({ className, edges, journey }: { className?: string; edges: readonly Edge[]; journey: Journey }) {
  const path = useRef<SVGPathElement>(null);
  useLayoutEffect(() => {
    const draw = () => {
      path.current?.setAttribute('d', svgPath(edges.map((edge) => ({ points: journey.pointsOf(edge) }))));
    };
    draw();
    return journey.subscribe(draw);
  }, [edges, journey]);
  return <path ref={path} className={className} />;
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

interface LoudProps {
  layout: Layout;
  redundant: boolean;
  journey?: Journey;
}

/** The edges of the lit trail, above all others. */
function LitEdges(props: LoudProps) {
  const trail = useSceneState(litTrail);
  return trail ? <EdgePath {...props} className={styles.lit} edges={trail.edges} /> : null;
}

/** The least time between two looks for failures, in milliseconds: each look reads all runs. */
const LOOK = 250;

/** Subscribes a listener that is called at once, but at most every `LOOK` milliseconds. */
function sparingly(subscribe: (listener: () => void) => () => void, listener: () => void): () => void {
  let last = -Infinity;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const call = () => {
    timer = undefined;
    last = performance.now();
    listener();
  };
  const stop = subscribe(() => {
    if (timer !== undefined) return;
    const left = last + LOOK - performance.now();
    if (left <= 0) call();
    else timer = setTimeout(call, left);
  });
  return () => {
    clearTimeout(timer);
    stop();
  };
}

/** The edges on the paths of failures, in red. */
function FailureEdges(props: LoudProps) {
  const { renderer } = useSceneContext();
  const subscribe = useCallback((listener: () => void) => sparingly(renderer.subscribe, listener), [renderer]);
  // One text, because equal texts are the same value for React and equal arrays are not.
  const text = useSyncExternalStore(subscribe, () => renderer.failureEdges().join(' '));
  const edges = useMemo(() => new Set(text.split(' ')), [text]);
  return <EdgePath {...props} className={styles.failure} edges={edges} />;
}

interface EdgePathProps extends LoudProps {
  className?: string;
  edges: ReadonlySet<string>;
}

/** Some edges in one path. */
const EdgePath = memo(function EdgePath({ className, layout, edges, redundant, journey }: EdgePathProps) {
  const list = useMemo(
    () => layout.edges.filter((edge) => edges.has(edgeKey(edge.from, edge.to)) && (redundant || !edge.redundant)),
    [layout, edges, redundant],
  );
  const d = useMemo(() => svgPath(list), [list]);
  if (!d) return null;
  return journey ? (
    <MovingPath className={className} edges={list} journey={journey} />
  ) : (
    <path className={className} d={d} />
  );
});
