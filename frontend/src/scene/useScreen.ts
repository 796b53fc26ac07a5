import { useStoreApi } from '@xyflow/react';
import { type RefObject, useEffect, useRef } from 'react';

/**
 * While a person moves the view a screen stands before the cards, from the first frame that moves to the first that does
 * not. The browser would look in every frame for what came below a pointer that rests, and style anew what it left and met.
 */
export function useScreen(root: RefObject<HTMLDivElement | null>, byHand: () => boolean): void {
  const flow = useStoreApi();
  const latest = useRef(byHand);
  useEffect(() => {
    latest.current = byHand;
  });
  useEffect(() => {
    let frame = 0;
    let moved = false;
    const look = () => {
      frame = moved ? requestAnimationFrame(look) : 0;
      if (!moved) root.current?.removeAttribute('data-screen');
      moved = false;
    };
    const stop = flow.subscribe((now, before) => {
      if (now.transform === before.transform || !latest.current()) return;
      moved = true;
      if (frame !== 0) return;
      root.current?.setAttribute('data-screen', '');
      frame = requestAnimationFrame(look);
    });
    return () => {
      stop();
      cancelAnimationFrame(frame);
    };
  }, [flow, root]);
}
