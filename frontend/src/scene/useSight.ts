import { useStoreApi } from '@xyflow/react';
import { useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { Size } from './camera';
import { nextSight, type Sight } from './sight';
import type { Layout } from './types';

/** What of the scene stands on the page: it comes and goes by little in a frame while the view moves. */
export function useSight(layout: Layout, size: Size): Sight {
  const flow = useStoreApi();
  const read = (before?: Sight, still?: boolean) => {
    const [x, y, zoom] = flow.getState().transform;
    return nextSight(before, layout, { x, y, zoom }, size, still);
  };
  const [sight, setSight] = useState(() => read());
  const now = useRef(sight);
  const next = useRef(read);
  useLayoutEffect(() => {
    next.current = read;
  });
  useLayoutEffect(() => {
    let frame = 0;
    let moved = false;
    const work = () => {
      const { band, seats } = now.current;
      now.current = next.current(now.current, !moved);
      moved = false;
      const {
        seats: { cards, outlined, settled },
      } = now.current;
      if (now.current.band !== band || cards !== seats.cards || outlined !== seats.outlined) setSight(now.current);
      if (!settled) again();
    };
    // In this frame: React would draw them after it, so that those of two frames come in one, and none in the next.
    const inFrame = () => {
      frame = 0;
      flushSync(work);
    };
    const again = () => {
      frame ||= requestAnimationFrame(inFrame);
    };
    work();
    const stop = flow.subscribe((state, before) => {
      if (state.transform === before.transform) return;
      moved = true;
      again();
    });
    return () => {
      stop();
      cancelAnimationFrame(frame);
    };
  }, [flow, layout, size]);
  return sight;
}
