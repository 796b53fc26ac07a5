import { useReactFlow } from '@xyflow/react';
import { type RefObject, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import {
  afterEdit,
  restoredView,
  clamp,
  fitAll,
  uncovered,
  leastZoom,
  MAX_ZOOM,
  openingView,
  reveal,
  type Size,
  type View,
} from './camera';
import { CARD } from './dimensions';
import { jobOfMark } from './sceneStore';
import type { Layout } from './types';

/** How long a gentle move of the view takes, in milliseconds. */
const GLIDE = 220;

type Pace = 'once' | 'gently';

interface CameraOptions {
  layout: Layout;
  size: Size;
  /** How many pixels at the right are covered. A revealed card is moved out of this part. */
  covered: number;
  /** The same at the top. It may change without a move of the view. */
  above: number;
  /** The task on which the view opens. */
  focusKey: () => string | undefined;
  /** The page edits: another layout leaves the view where it is. */
  editing: boolean;
  /** Has the view that the user left here, and gets it again. */
  savedView?: RefObject<View | undefined>;
}

/** Moves the view. It is another object after a change of layout, size or cover. */
export interface Camera {
  /** Call when the user has moved the view: from then on it stays where it is. */
  noteUserMove: () => void;
  /** Moves to a view at once. */
  goTo: (view: View) => void;
  /** Moves by pixels of the screen, as far as there is something to see. */
  panBy: (x: number, y: number) => void;
  /** Brings a card, or the lane of a mark, into sight. */
  show: (key: string, pace?: Pace) => void;
  /** Shows the whole drawing. */
  fit: () => void;
  /** Zooms about the middle of the visible part. */
  zoomBy: (factor: number) => void;
}

/**
 * Moves React Flow's view. It opens on the task that matters, or where the user left it. Once the user has moved it,
 * another size or layout leaves it in place.
 */
export function useCamera(options: CameraOptions): { opening: View; camera: Camera } {
  const { layout, size, covered, above, focusKey, editing, savedView } = options;
  const flow = useReactFlow();
  const [saved] = useState(() => savedView?.current);
  const [opening] = useState(() =>
    saved ? restoredView(saved, layout, size, covered, above) : openingView(layout, size, focusKey(), covered, above),
  );
  const movedByUser = useRef(saved !== undefined);
  useLayoutEffect(
    () => () => {
      if (savedView && (editing || movedByUser.current)) savedView.current = flow.getViewport();
    },
    [savedView, flow, editing],
  );
  // Where the view is on its way to: the next move starts from there.
  const goal = useRef<View>(undefined);
  const moveTo = useCallback(
    (view: View, pace: Pace) => {
      const still = pace === 'once' || window.matchMedia('(prefers-reduced-motion: reduce)').matches;
      goal.current = still ? undefined : view;
      void flow.setViewport(view, still ? undefined : { duration: GLIDE }).then(() => {
        if (goal.current === view) goal.current = undefined;
      });
    },
    [flow],
  );
  // A change of `above` alone does not move the view.
  const latest = useRef({ focusKey, above });
  useLayoutEffect(() => {
    latest.current = { focusKey, above };
  });
  const camera = useMemo((): Camera => {
    const frame = (): Frame => ({ layout, size, covered, above: latest.current.above });
    const byUser = (view: View, pace: Pace) => {
      movedByUser.current = true;
      moveTo(clamped(view, frame()), pace);
    };
    return {
      noteUserMove: () => {
        movedByUser.current = true;
        goal.current = undefined;
      },
      goTo: (view) => {
        byUser(view, 'once');
      },
      panBy: (x, y) => {
        const now = flow.getViewport();
        byUser({ zoom: now.zoom, x: now.x + x, y: now.y + y }, 'once');
      },
      show: (key, pace = 'gently') => {
        const now = goal.current ?? flow.getViewport();
        const next = revealing(now, key, frame());
        if (next !== now) moveTo(next, pace);
      },
      fit: () => {
        moveTo(fitAll(layout, uncovered(size, covered), latest.current.above), 'gently');
      },
      zoomBy: (factor) => {
        byUser(zoomed(flow.getViewport(), factor, frame()), 'gently');
      },
    };
  }, [flow, layout, size, covered, moveTo]);

  const shown = useRef({ layout, size });
  useLayoutEffect(() => {
    const { layout: before, size: sizeBefore } = shown.current;
    if (before === layout && sizeBefore === size) return;
    shown.current = { layout, size };
    const { above: over, focusKey: key } = latest.current;
    if (editing && sizeBefore === size) {
      const pace = before.width === layout.width ? 'once' : 'gently';
      moveTo(afterEdit(flow.getViewport(), before, layout, size, over), pace);
    } else if (movedByUser.current) moveTo(clamp(flow.getViewport(), layout, size, covered, over), 'once');
    else moveTo(openingView(layout, size, key(), covered, over), 'once');
  }, [flow, layout, size, covered, moveTo, editing]);
  // When the cover becomes smaller, the view moves back.
  const coveredBefore = useRef(covered);
  useEffect(() => {
    const less = covered < coveredBefore.current;
    coveredBefore.current = covered;
    const now = goal.current ?? flow.getViewport();
    const next = clamp(now, layout, size, covered, Math.max(0, now.y));
    if (less && next.x !== now.x) moveTo(next, 'gently');
  }, [flow, layout, size, covered, moveTo]);

  return { opening, camera };
}

/** The limits of the view. */
type Frame = Pick<CameraOptions, 'layout' | 'size' | 'covered' | 'above'>;

const clamped = (view: View, { layout, size, covered, above }: Frame): View =>
  clamp(view, layout, size, covered, above);

/** The view that shows a card, or the head of the lane of a mark; the same object if that can be seen already. */
function revealing(now: View, key: string, { layout, size, covered, above }: Frame): View {
  const job = jobOfMark(key);
  const lane = job === undefined ? undefined : layout.lanes.find((each) => each.key === job);
  const box = lane ? { ...lane, width: Math.min(lane.width, CARD.width) } : layout.boxes.get(key);
  return box ? reveal(now, box, layout, size, covered, above) : now;
}

/** A view zoomed by a factor about the middle of the visible part. */
function zoomed(now: View, factor: number, { layout, size, covered, above }: Frame): View {
  const least = leastZoom(layout, uncovered(size, covered, above));
  const zoom = Math.min(MAX_ZOOM, Math.max(least, now.zoom * factor));
  const scale = (at: number, middle: number) => middle - ((middle - at) * zoom) / now.zoom;
  return { zoom, x: scale(now.x, (size.width - covered) / 2), y: scale(now.y, (size.height + above) / 2) };
}
