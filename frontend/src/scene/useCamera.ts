import { useReactFlow } from '@xyflow/react';
import { type RefObject, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import {
  afterEdit,
  restoredView,
  clamp,
  fitAll,
  pushedDown,
  uncovered,
  leastZoom,
  MAX_ZOOM,
  openingView,
  reveal,
  type Size,
  type View,
} from './camera';
import { CARD } from './dimensions';
import type { Level } from './jobs/useLevel';
import { jobOfMark } from './sceneStore';
import type { Layout } from './types';

/** The duration of an animated move of the view, in milliseconds. */
const GLIDE = 220;

type Pace = 'instant' | 'animated';

interface CameraOptions {
  layout: Layout;
  size: Size;
  /** The number of covered pixels at the right. A revealed card is moved out of this part. */
  coveredRight: number;
  /** The number of covered pixels at the top. A change of it moves the view only if cards of the top are covered. */
  coveredTop: number;
  /** The task that the first view shows. */
  focusKey: () => string | undefined;
  /** The page edits the graph: a new layout does not move the view. */
  editing: boolean;
  /** The view that is restored on mount, and saved on unmount. */
  savedView?: RefObject<View | undefined>;
  /** The level that is shown. */
  level: Level;
}

/** Moves the view. It is a new object after a change of layout, size or `coveredRight`. */
export interface Camera {
  /** Call when the user has moved the view: a new layout or size no longer moves it. */
  noteUserMove: () => void;
  /** Moves to a view at once. */
  goTo: (view: View) => void;
  /** Moves by pixels of the screen, within the limits of the view. */
  panBy: (x: number, y: number) => void;
  /** Moves so that a card, or the lane of a mark, is visible. */
  show: (key: string, pace?: Pace) => void;
  /** Moves so that a card stays visible, at the zoom that the view has. */
  keepVisible: (key: string) => void;
  /** Shows the whole drawing. */
  fit: () => void;
  /** Zooms about the middle of the visible part. */
  zoomBy: (factor: number) => void;
}

/**
 * Moves React Flow's view. The first view is the saved one, or it shows the task of `focusKey`. Once the user has moved
 * the view, a new size or layout does not move it.
 */
export function useCamera(options: CameraOptions): { opening: View; camera: Camera } {
  const { layout, size, coveredRight, coveredTop, focusKey, editing, savedView, level } = options;
  const flow = useReactFlow();
  const [saved] = useState(() => savedView?.current);
  const [opening] = useState(() =>
    saved
      ? restoredView(saved, layout, size, coveredRight, coveredTop)
      : openingView(layout, size, focusKey(), coveredRight, coveredTop),
  );
  const movedByUser = useRef(saved !== undefined);
  // The target of the animation that runs: the next move starts from there.
  const goal = useRef<View>(undefined);
  const moveTo = useCallback(
    (view: View, pace: Pace) => {
      const instant = pace === 'instant' || window.matchMedia('(prefers-reduced-motion: reduce)').matches;
      goal.current = instant ? undefined : view;
      // At a zoom of 1, a position between two pixels would blur painted names.
      const exact = view.zoom === 1 ? { ...view, x: Math.round(view.x), y: Math.round(view.y) } : view;
      void flow.setViewport(exact, instant ? undefined : { duration: GLIDE }).then(() => {
        if (goal.current === view) goal.current = undefined;
      });
    },
    [flow],
  );
  // A change of `coveredTop` alone makes no new camera.
  const latest = useRef({ focusKey, coveredTop, level });
  useLayoutEffect(() => {
    latest.current = { focusKey, coveredTop, level };
  });
  useLayoutEffect(
    () => () => {
      if (!savedView || !(editing || movedByUser.current)) return;
      const { jobs, open } = latest.current.level;
      savedView.current = { ...flow.getViewport(), jobs: jobs ? { open } : undefined };
    },
    [savedView, flow, editing],
  );
  const camera = useMemo((): Camera => {
    const limits = (): ViewLimits => ({ layout, size, coveredRight, coveredTop: latest.current.coveredTop });
    const moveByUser = (view: View, pace: Pace) => {
      movedByUser.current = true;
      moveTo(clamped(view, limits()), pace);
    };
    return {
      noteUserMove: () => {
        movedByUser.current = true;
        goal.current = undefined;
      },
      goTo: (view) => {
        moveByUser(view, 'instant');
      },
      panBy: (x, y) => {
        const now = flow.getViewport();
        moveByUser({ zoom: now.zoom, x: now.x + x, y: now.y + y }, 'instant');
      },
      show: (key, pace = 'animated') => {
        const now = goal.current ?? flow.getViewport();
        const next = revealing(now, key, limits());
        if (next !== now) moveTo(next, pace);
      },
      keepVisible: (key) => {
        const now = goal.current ?? flow.getViewport();
        const next = revealing(now, key, limits(), now.zoom);
        if (next !== now) moveTo(next, 'animated');
      },
      fit: () => {
        moveTo(fitAll(layout, uncovered(size, coveredRight), latest.current.coveredTop), 'animated');
      },
      zoomBy: (factor) => {
        moveByUser(zoomed(flow.getViewport(), factor, limits()), 'animated');
      },
    };
  }, [flow, layout, size, coveredRight, moveTo]);

  const shown = useRef({ layout, size });
  useLayoutEffect(() => {
    const { layout: before, size: sizeBefore } = shown.current;
    if (before === layout && sizeBefore === size) return;
    shown.current = { layout, size };
    const { current } = latest;
    const jump = current.level.jump.current;
    current.level.jump.current = undefined;
    if (jump) {
      movedByUser.current = true;
      const next = jump(flow.getViewport(), layout);
      moveTo(clamp(next, layout, size, coveredRight, Math.max(current.coveredTop, 0)), 'instant');
    } else if (editing && sizeBefore === size) {
      const pace = before.width === layout.width ? 'instant' : 'animated';
      moveTo(afterEdit(flow.getViewport(), before, layout, size, current.coveredTop), pace);
    } else if (movedByUser.current)
      moveTo(clamp(flow.getViewport(), layout, size, coveredRight, current.coveredTop), 'instant');
    else moveTo(openingView(layout, size, current.focusKey(), coveredRight, current.coveredTop), 'instant');
  }, [flow, layout, size, coveredRight, moveTo, editing]);
  useCovers(options, goal, moveTo);

  return { opening, camera };
}

/** The limits of the view. */
type ViewLimits = Pick<CameraOptions, 'layout' | 'size' | 'coveredRight' | 'coveredTop'>;

/** Moves the view when the covered parts of the screen change. `goal` is the target of the animation that runs. */
function useCovers(
  { layout, size, coveredRight, coveredTop }: ViewLimits,
  goal: RefObject<View | undefined>,
  moveTo: (view: View, pace: Pace) => void,
): void {
  const flow = useReactFlow();
  // When the covered part becomes smaller, the view moves back.
  const coveredBefore = useRef(coveredRight);
  useEffect(() => {
    const shrank = coveredRight < coveredBefore.current;
    coveredBefore.current = coveredRight;
    const now = goal.current ?? flow.getViewport();
    const next = clamp(now, layout, size, coveredRight, Math.max(0, now.y));
    if (shrank && next.x !== now.x) moveTo(next, 'animated');
  }, [flow, layout, size, coveredRight, goal, moveTo]);

  // Banners that would cover cards of the top push the drawing down, and let it back when they go.
  const isPushed = useRef(false);
  useEffect(() => {
    const now = goal.current ?? flow.getViewport();
    const next =
      isPushed.current && coveredTop < now.y ? { ...now, y: coveredTop } : pushedDown(now, layout, coveredTop);
    isPushed.current = coveredTop > 0 && (isPushed.current || next !== now);
    if (next.y !== now.y) moveTo(next, 'animated');
  }, [flow, layout, coveredTop, goal, moveTo]);
}

const clamped = (view: View, { layout, size, coveredRight, coveredTop }: ViewLimits): View =>
  clamp(view, layout, size, coveredRight, coveredTop);

/** The view that shows a card, or the head of the lane of a mark; the same object if it is visible already. */
function revealing(
  now: View,
  key: string,
  { layout, size, coveredRight, coveredTop }: ViewLimits,
  least?: number,
): View {
  const job = jobOfMark(key);
  const lane = job === undefined ? undefined : layout.lanes.find((each) => each.key === job);
  const box = lane ? { ...lane, width: Math.min(lane.width, CARD.width) } : layout.boxes.get(key);
  return box ? reveal(now, box, layout, size, coveredRight, coveredTop, least) : now;
}

/** A view zoomed by a factor about the middle of the visible part. */
function zoomed(now: View, factor: number, { layout, size, coveredRight, coveredTop }: ViewLimits): View {
  const least = leastZoom(layout, uncovered(size, coveredRight, coveredTop));
  const zoom = Math.min(MAX_ZOOM, Math.max(least, now.zoom * factor));
  const scale = (at: number, middle: number) => middle - ((middle - at) * zoom) / now.zoom;
  return { zoom, x: scale(now.x, (size.width - coveredRight) / 2), y: scale(now.y, (size.height + coveredTop) / 2) };
}
