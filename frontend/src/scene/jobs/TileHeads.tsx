import { useStoreApi } from '@xyflow/react';
import { memo, useLayoutEffect, useRef } from 'react';
import type { TaskGraph } from '@/graph';
import type { Layout } from '../types';
import styles from './TileHeads.module.css';

/** The least height of a lane on the screen for its head to have a name. */
const NAMED = 22;

/** The heads of lanes over tiles, at the left edge of the screen: their size is the same at every zoom. */
export const TileHeads = memo(function TileHeads({ graph, layout }: { graph: TaskGraph; layout: Layout }) {
  const list = useRef<HTMLDivElement>(null);
  const flow = useStoreApi();
  // Written without React, because it changes with every move. A move without zoom changes one style only.
  useLayoutEffect(() => {
    let last = NaN;
    const update = () => {
      const [x, y, zoom] = flow.getState().transform;
      const element = list.current;
      if (!element) return;
      element.style.transform = `translate(${Math.max(0, x)}px, ${y}px)`;
      if (zoom === last) return;
      last = zoom;
      layout.lanes.forEach((lane, i) => {
        const head = element.children[i];
        if (!(head instanceof HTMLElement)) return;
        head.style.top = `${lane.y * zoom}px`;
        head.toggleAttribute('data-named', lane.height * zoom >= NAMED);
      });
    };
    update();
    return flow.subscribe((now, before) => {
      if (now.transform !== before.transform) update();
    });
  }, [flow, layout]);
  return (
    <div className={styles.clip} aria-hidden="true">
      <div ref={list} className={styles.heads}>
        {layout.lanes.map((lane) => (
          <span key={lane.key} className={styles.head}>
            <b>{lane.index + 1}</b>
            <bdi data-title={graph.jobs[lane.index]?.title ?? lane.key} />
          </span>
        ))}
      </div>
    </div>
  );
});
