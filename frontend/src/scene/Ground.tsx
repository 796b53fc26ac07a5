import { useStoreApi } from '@xyflow/react';
import { type ComponentType, memo, useLayoutEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { edgeKey, type GraphJob, type TaskGraph } from '@/graph';
import type { Band } from './camera';
import { svgPath } from './curve';
import styles from './Ground.module.css';
import { LaneTitle } from './LaneTitle';
import { litTrail, useStage, useSurroundings } from './stage';
import type { Lane, Layout, Rect, Edge } from './types';

/** Where the last of a lane's beginning is out of sight, in scene pixels: Ground.module.css. */
const AT_EDGE = 56;

const NONE: ReadonlySet<string> = new Set();

interface Props {
  graph: TaskGraph;
  layout: Layout;
  /** Only what is in it is drawn. */
  band: Band;
  redundant: boolean;
}

/** What cards stand on: lanes with their heads, and the edges. It never takes the pointer. */
export const Ground = memo(function Ground({ graph, layout, band, redundant }: Props) {
  const {
    look: { Head = PlainHead },
  } = useSurroundings();
  const lanes = layout.lanes.filter((lane) => lane.y <= band.bottom && lane.y + lane.height >= band.top);
  const element = useRef<HTMLDivElement>(null);
  const pinnedHeads = useRef<HTMLDivElement>(null);
  const flow = useStoreApi();
  // Written past React: it changes with every move, and only the numbers of lanes look at it.
  useLayoutEffect(() => {
    let known = { x: NaN, zoom: NaN };
    const tell = () => {
      const {
        transform: [x, , zoom],
      } = flow.getState();
      if (x === known.x && zoom === known.zoom) return;
      known = { x, zoom };
      const left = Math.max(0, -x / zoom);
      const style = element.current?.style;
      // All that looks at it is styled anew: beyond where the last number is at the edge, only what holds those moves on.
      const near = String(layout.narrow ? left : Math.min(left, AT_EDGE));
      if (style?.getPropertyValue('--seen-left') !== near) {
        style?.setProperty('--seen-left', near);
        element.current?.toggleAttribute('data-away', !layout.narrow && left >= AT_EDGE);
      }
      if (pinnedHeads.current) pinnedHeads.current.style.transform = `translateX(${left}px)`;
    };
    tell();
    return flow.subscribe(tell);
  }, [flow, layout, band]);
  return (
    <div ref={element} className={styles.ground}>
      <div aria-hidden="true">
        <div className={styles.paper} style={{ width: layout.width, height: layout.height }} />
        {lanes.map((lane) => (
          <Floor key={lane.key} lane={lane} />
        ))}
        <svg className={styles.edges}>
          <Quiet layout={layout} band={band} redundant={redundant} />
          <Lit layout={layout} redundant={redundant} />
          <Hot layout={layout} redundant={redundant} />
        </svg>
      </div>
      {lanes.map((lane) => (
        <Front key={lane.key} Head={Head} lane={lane} job={graph.jobs[lane.index]} narrow={layout.narrow} />
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

const Floor = memo(function Floor({ lane }: { lane: Lane }) {
  return (
    <div className={styles.lane} style={place(lane)} data-lane={lane.key}>
      {lane.waitsForAll && <i className={styles.gate} />}
    </div>
  );
});

/** Drawn anew only with its lane: others come and go while the view moves. */
const Front = memo(function Front({ Head, ...head }: HeadProps & { Head: ComponentType<HeadProps> }) {
  return (
    <div className={styles.front} data-narrow={head.narrow || undefined} style={place(head.lane)}>
      <Head {...head} />
    </div>
  );
});

/** What stands for number and title where the lane's beginning is out of sight. The title is in the page once: see Ground.module.css. */
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

const place = ({ x, y, width, height }: Rect) => ({ left: x, top: y, width, height });

interface Chunk {
  top: number;
  bottom: number;
  d: string;
}

/** All edges, in one path for each lane they come from. */
function Quiet({ layout, band, redundant }: { layout: Layout; band: Band; redundant: boolean }) {
  const {
    look: { gone = NONE },
  } = useSurroundings();
  const chunks = useMemo(
    () =>
      chunksOf(
        layout,
        layout.edges.filter((edge) => !edge.redundant && !gone.has(edgeKey(edge.from, edge.to))),
      ),
    [layout, gone],
  );
  const less = useMemo(
    () =>
      gone.size > 0
        ? chunksOf(
            layout,
            layout.edges.filter((edge) => !edge.redundant && gone.has(edgeKey(edge.from, edge.to))),
          )
        : [],
    [layout, gone],
  );
  const more = useMemo(
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
  // After an edit cards glide to their places: edges come in meanwhile.
  const [drawn, setDrawn] = useState({ layout, version: 0 });
  if (drawn.layout !== layout) setDrawn({ layout, version: drawn.version + 1 });
  const { version } = drawn;
  const shown = (all: readonly Chunk[]) =>
    all.map((chunk, i) =>
      chunk.d && chunk.top <= band.bottom && chunk.bottom >= band.top ? <path key={i} d={chunk.d} /> : null,
    );
  return (
    <g key={version} className={styles.quiet} data-quiet="" data-again={version > 0 || undefined}>
      <g className={styles.tied}>{shown(ties)}</g>
      <g className={styles.redundant}>{shown(more)}</g>
      {shown(chunks)}
      <g className={styles.gone}>{shown(less)}</g>
    </g>
  );
}

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

/** What is lit, above all others. */
function Lit({ layout, redundant }: { layout: Layout; redundant: boolean }) {
  const trail = useStage(litTrail);
  return trail ? <Some className={styles.lit} layout={layout} edges={trail.edges} redundant={redundant} /> : null;
}

/** What is red: the paths of failures, or what is wrong. */
function Hot({ layout, redundant }: { layout: Layout; redundant: boolean }) {
  const { look } = useSurroundings();
  // As one text, so that it is the same as long as it says the same.
  const text = useSyncExternalStore(look.subscribe, () => look.hot().join(' '));
  const edges = useMemo(() => new Set(text.split(' ')), [text]);
  return <Some className={styles.hot} layout={layout} edges={edges} redundant={redundant} />;
}

interface SomeProps {
  className?: string;
  layout: Layout;
  edges: ReadonlySet<string>;
  redundant: boolean;
}

const Some = memo(function Some({ className, layout, edges, redundant }: SomeProps) {
  const d = useMemo(
    () =>
      svgPath(layout.edges.filter((edge) => edges.has(edgeKey(edge.from, edge.to)) && (redundant || !edge.redundant))),
    [layout, edges, redundant],
  );
  return d ? <path className={className} d={d} /> : null;
});
