import { useStoreApi } from '@xyflow/react';
import { type ComponentType, memo, useLayoutEffect, useRef } from 'react';
import type { GraphJob, TaskGraph } from '@/graph';
import type { VisibleRange } from './camera';
import { Edges } from './Edges';
import styles from './LanesAndEdges.module.css';
import { LaneTitle } from './LaneTitle';
import { useSceneContext } from './sceneStore';
import type { Lane, Layout, Rect } from './types';

/** From this offset on, the head of a lane is fully out of sight, in scene pixels; see LanesAndEdges.module.css. */
const AT_EDGE = 56;

interface Props {
  graph: TaskGraph;
  layout: Layout;
  /** Only lanes and edges in this range are mounted. */
  range: VisibleRange;
  redundant: boolean;
  /** After an edit, edges travel to their new places. */
  travels: boolean;
}

/** The layer below the cards: lanes with their heads, and edges. It never receives pointer events. */
export const LanesAndEdges = memo(function LanesAndEdges({ graph, layout, range, redundant, travels }: Props) {
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
        <Edges layout={layout} range={range} redundant={redundant} travels={travels} />
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
  const { t } = useSceneContext();
  return (
    <div className={styles.lane} style={rectStyle(lane)} data-lane={lane.key}>
      {lane.waitsForAll && (
        <>
          <i className={styles.gate} />
          <span className={styles.gateHint} title={t('gate')} data-gate={lane.key} />
        </>
      )}
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
