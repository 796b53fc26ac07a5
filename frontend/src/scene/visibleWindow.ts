import { useStoreApi } from '@xyflow/react';
import { useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { seen, type Size, type View, type VisibleRange, visibleRange } from './camera';
import { type MountedCards, MOUNTS_PER_FRAME, nextMountedCards, NONE_MOUNTED } from './mountedCards';
import type { Layout } from './types';

/** What of a scene is mounted. */
export interface VisibleWindow {
  /** Lanes, their heads and edges are mounted in this range. */
  range: VisibleRange;
  mounted: MountedCards;
  /** The last frame mounted lanes. */
  lanesCame: boolean;
}

/**
 * What is mounted in the next frame. While the view moves a frame has time for little: when lanes are mounted, cards
 * wait for the frame after it. `still` says that the view rests.
 */
export function nextVisibleWindow(
  before: VisibleWindow | undefined,
  layout: Layout,
  view: View,
  screen: Size,
  still = false,
): VisibleWindow {
  const range = visibleRange(view, screen);
  const same = before?.range.top === range.top && before.range.bottom === range.bottom;
  // Never in two frames running: a view that moves fast mounts lanes in each, and cards would never come.
  const lanesCame = before !== undefined && !same && !before.lanesCame;
  const room = still ? MOUNTS_PER_FRAME.still : lanesCame ? 0 : MOUNTS_PER_FRAME.moving;
  return {
    range: same ? before.range : range,
    mounted: nextMountedCards(before?.mounted ?? NONE_MOUNTED, layout, seen(view, screen), room),
    lanesCame,
  };
}

/** What of the scene is mounted, kept up with the view: a little changes in each frame while that moves. */
export function useVisibleWindow(layout: Layout, size: Size): VisibleWindow {
  const flow = useStoreApi();
  const read = (before?: VisibleWindow, still?: boolean) => {
    const [x, y, zoom] = flow.getState().transform;
    return nextVisibleWindow(before, layout, { x, y, zoom }, size, still);
  };
  const [shown, setShown] = useState(() => read());
  const now = useRef(shown);
  const next = useRef(read);
  useLayoutEffect(() => {
    next.current = read;
  });
  useLayoutEffect(() => {
    let frame = 0;
    let moved = false;
    const update = () => {
      const { range, mounted } = now.current;
      now.current = next.current(now.current, !moved);
      moved = false;
      const {
        mounted: { cards, outlined, settled },
      } = now.current;
      if (now.current.range !== range || cards !== mounted.cards || outlined !== mounted.outlined)
        setShown(now.current);
      if (!settled) schedule();
    };
    // Within the frame: React would render after it, so that the changes of two frames come in one and none in the
    // next.
    const inFrame = () => {
      frame = 0;
      flushSync(update);
    };
    const schedule = () => {
      frame ||= requestAnimationFrame(inFrame);
    };
    update();
    const stop = flow.subscribe((state, before) => {
      if (state.transform === before.transform) return;
      moved = true;
      schedule();
    });
    return () => {
      stop();
      cancelAnimationFrame(frame);
    };
  }, [flow, layout, size]);
  return shown;
}
