import { useStoreApi } from '@xyflow/react';
import { useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { seen, type Size } from './camera';
import { nextSeats, NOBODY, type Seats } from './seats';
import type { Layout } from './types';

/** The cards that stand on the page: they come and go a few in a frame while the view moves. */
export function useSeated(layout: Layout, size: Size): Seats {
  const flow = useStoreApi();
  const read = (before: Seats) => {
    const [x, y, zoom] = flow.getState().transform;
    return nextSeats(before, layout, seen({ x, y, zoom }, size));
  };
  const [seats, setSeats] = useState(() => read(NOBODY));
  const now = useRef(seats);
  const next = useRef(read);
  useLayoutEffect(() => {
    next.current = read;
  });
  useLayoutEffect(() => {
    let frame = 0;
    const work = () => {
      const before = now.current;
      now.current = next.current(before);
      if (now.current.cards !== before.cards || now.current.outlined !== before.outlined) setSeats(now.current);
      if (!now.current.settled) again();
    };
    // In this frame: React would draw them after it, so that those of two frames come in one, and none in the next.
    const inFrame = () => {
      frame = 0;
      flushSync(work);
    };
    const again = () => { frame ||= requestAnimationFrame(inFrame); };
    work();
    const stop = flow.subscribe((state, before) => { if (state.transform !== before.transform) again(); });
    return () => {
      stop();
      cancelAnimationFrame(frame);
    };
  }, [flow, layout, size]);
  return seats;
}
