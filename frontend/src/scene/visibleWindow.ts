import { useStoreApi } from '@xyflow/react';
import { useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { visibleRect, type Size, type View, type VisibleRange, visibleRange } from './camera';
import type { Box, Layout, Rect } from './types';
import { boxesIn } from './walk';

/**
 * The most cards that are mounted in a frame: more would make a moving view stutter. One card more may be unmounted.
 */
export const MOUNTS_PER_FRAME = { moving: 3, still: 9 } as const;
/** Cards within this distance of the visible part are mounted ahead, in scene pixels. */
const AHEAD = 64;
/** Cards beyond this distance of the visible part are unmounted, in scene pixels. */
const KEEP = 192;

/**
 * At the level of jobs, the range changes in steps of this many pixels: a frame mounts few rows, and the next one too.
 */
const ROWS_STEP = 64;

/** The cards of a frame. */
export interface MountedCards {
  /** The keys of the mounted cards. */
  cards: ReadonlySet<string>;
  /** Visible cards that are mounted in the next frames. Their outlines are shown until then. */
  outlined: readonly Box[];
  /** No card needs to be mounted or unmounted until the view moves. */
  complete: boolean;
}

/** Before the first frame. */
export const NONE_MOUNTED: MountedCards = { cards: new Set(), outlined: [], complete: false };

/**
 * The cards of the next frame. It mounts at most `room` cards, visible ones first, and unmounts at most `room + 1`
 * distant ones. If no visible card is mounted yet, it mounts all of them at once.
 */
export function nextMountedCards(
  { cards, outlined }: MountedCards,
  layout: Layout,
  visible: Rect,
  room: number,
): MountedCards {
  const isVisible = [...boxesIn(layout, visible)];
  const missing = isVisible.filter(({ key }) => !cards.has(key));
  const all = isVisible.length > 0 && missing.length === isVisible.length;
  if (room === 0 && !all) return { cards, outlined, complete: false };
  const ahead = all ? [] : [...boxesIn(layout, grown(visible, AHEAD))].filter(({ key }) => !cards.has(key));
  const wanted = [...missing, ...ahead.filter((box) => !missing.includes(box))];
  const added = all ? missing : wanted.slice(0, room);
  const nearKeys = new Set(Array.from(boxesIn(layout, grown(visible, KEEP)), ({ key }) => key));
  const farKeys = [...cards].filter((key) => !nearKeys.has(key));
  const removed = all ? farKeys : farKeys.slice(0, room + 1);
  const later = all ? [] : missing.slice(room);
  const complete = !all && added.length === wanted.length && removed.length === farKeys.length;
  if (added.length === 0 && removed.length === 0)
    return { cards, outlined: outlined.length === 0 ? outlined : later, complete };
  const next = new Set(cards);
  for (const key of removed) next.delete(key);
  for (const { key } of added) next.add(key);
  return { cards: next, outlined: later, complete };
}

const grown = ({ x, y, width, height }: Rect, by: number): Rect => ({
  x: x - by,
  y: y - by,
  width: width + 2 * by,
  height: height + 2 * by,
});

/** The mounted part of a scene. */
export interface VisibleWindow {
  /** Lanes, their heads and edges are mounted in this range. */
  range: VisibleRange;
  mounted: MountedCards;
  /** The last frame mounted lanes. */
  lanesMounted: boolean;
}

/**
 * The part that is mounted in the next frame. While the view moves, a frame has little time: if it mounts lanes, the
 * frame after it mounts cards. `still` means that the view rests.
 */
export function nextVisibleWindow(
  before: VisibleWindow | undefined,
  layout: Layout,
  view: View,
  screen: Size,
  still = false,
): VisibleWindow {
  const range = visibleRange(view, screen, layout.bars ? ROWS_STEP : undefined);
  const same = before?.range.top === range.top && before.range.bottom === range.bottom;
  // Not in two consecutive frames: a fast move needs lanes in each frame, and cards would never be mounted.
  const mountsLanes = before !== undefined && !same && !before.lanesMounted;
  const room = still ? MOUNTS_PER_FRAME.still : mountsLanes ? 0 : MOUNTS_PER_FRAME.moving;
  return {
    range: same ? before.range : range,
    mounted: nextMountedCards(before?.mounted ?? NONE_MOUNTED, layout, visibleRect(view, screen), room),
    lanesMounted: mountsLanes,
  };
}

/** The mounted part of the scene. It follows the view, a little in each frame while the view moves. */
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
        mounted: { cards, outlined, complete },
      } = now.current;
      if (now.current.range !== range || cards !== mounted.cards || outlined !== mounted.outlined)
        setShown(now.current);
      if (!complete) schedule();
    };
    // Synchronously: React would render after the frame, so that one frame would get the changes of two.
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
