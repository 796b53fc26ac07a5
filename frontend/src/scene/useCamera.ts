import { useReactFlow } from '@xyflow/react';
import { type RefObject, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import {
  afterEdit,
  again,
  clamp,
  fitAll,
  free,
  leastZoom,
  MAX_ZOOM,
  openingView,
  reveal,
  type Size,
  type View,
} from './camera';
import { CARD } from './measures';
import { jobOfMark } from './stage';
import type { Layout } from './types';

const GLIDE = 220; // milliseconds

/**
 * Moves React Flow's view. It opens on what matters, and goes where the person wants; another size or layout leaves it in place
 * then, and an edit always (`steady`). So much of its right is `covered`, and of its top what is `above`: what is to be seen
 * comes out from there, the rest stays.
 * `place` has where a person left it.
 */
export function useCamera(
  layout: Layout,
  size: Size,
  covered: number,
  above: number,
  matters: () => string | undefined,
  steady: boolean,
  place?: RefObject<View | undefined>,
) {
  const flow = useReactFlow();
  const [left] = useState(() => place?.current);
  const [opening] = useState(() =>
    left ? again(left, layout, size, covered, above) : openingView(layout, size, matters(), covered, above),
  );
  const byHand = useRef(left !== undefined);
  useLayoutEffect(
    () => () => {
      if (place && (steady || byHand.current)) place.current = flow.getViewport();
    },
    [place, flow, steady],
  );
  // Where the view is on its way to: what comes next goes on from there.
  const goal = useRef<View>(undefined);

  const moveTo = useCallback(
    (view: View, at: 'once' | 'gently') => {
      const still = at === 'once' || window.matchMedia('(prefers-reduced-motion: reduce)').matches;
      goal.current = still ? undefined : view;
      void flow.setViewport(view, still ? undefined : { duration: GLIDE }).then(() => {
        if (goal.current === view) goal.current = undefined;
      });
    },
    [flow],
  );

  // What comes to lie above moves nothing by itself: nobody asked for it.
  const latest = useRef({ matters, above });
  useLayoutEffect(() => {
    latest.current = { matters, above };
  });
  const camera = useMemo(
    () => ({
      /** The person moved the view: from now on it stays where it is. */
      noteHand: () => {
        byHand.current = true;
        goal.current = undefined;
      },
      /** As a map asks for. */
      goTo: (view: View) => {
        byHand.current = true;
        moveTo(clamp(view, layout, size, covered, latest.current.above), 'once');
      },
      /** Drags the view. */
      panBy: (x: number, y: number) => {
        byHand.current = true;
        const now = flow.getViewport();
        moveTo(
          clamp({ zoom: now.zoom, x: now.x + x, y: now.y + y }, layout, size, covered, latest.current.above),
          'once',
        );
      },
      /** Brings a card or a lane into sight. */
      show: (key: string, at: 'once' | 'gently' = 'gently') => {
        const job = jobOfMark(key);
        const lane = job === undefined ? undefined : layout.lanes.find((each) => each.key === job);
        const box = lane ? { ...lane, width: Math.min(lane.width, CARD.width) } : layout.boxes.get(key);
        const now = goal.current ?? flow.getViewport();
        const next = box ? reveal(now, box, layout, size, covered, latest.current.above) : now;
        if (next !== now) moveTo(next, at);
      },
      fit: () => {
        moveTo(fitAll(layout, free(size, covered), latest.current.above), 'gently');
      },
      /** About the middle of what can be seen. */
      zoomBy: (factor: number) => {
        byHand.current = true;
        const now = flow.getViewport();
        const zoom = Math.min(
          MAX_ZOOM,
          Math.max(leastZoom(layout, free(size, covered, latest.current.above)), now.zoom * factor),
        );
        const [x, y] = [(size.width - covered) / 2, (size.height + latest.current.above) / 2];
        moveTo(
          clamp(
            { zoom, x: x - ((x - now.x) * zoom) / now.zoom, y: y - ((y - now.y) * zoom) / now.zoom },
            layout,
            size,
            covered,
            latest.current.above,
          ),
          'gently',
        );
      },
    }),
    [flow, layout, size, covered, moveTo],
  );

  const known = useRef({ layout, size });
  useLayoutEffect(() => {
    if (known.current.layout === layout && known.current.size === size) return;
    const { layout: before, size: was } = known.current;
    known.current = { layout, size };
    const over = latest.current.above;
    if (steady && was === size)
      moveTo(
        afterEdit(flow.getViewport(), before, layout, size, over),
        before.width === layout.width ? 'once' : 'gently',
      );
    else
      moveTo(
        byHand.current
          ? clamp(flow.getViewport(), layout, size, covered, over)
          : openingView(layout, size, latest.current.matters(), covered, over),
        'once',
      );
  }, [flow, layout, size, covered, moveTo, steady]);
  // What had come out from under the cover need not stand there any more.
  const under = useRef(covered);
  useEffect(() => {
    const less = covered < under.current;
    under.current = covered;
    const now = goal.current ?? flow.getViewport();
    const next = clamp(now, layout, size, covered, Math.max(0, now.y));
    if (less && next.x !== now.x) moveTo(next, 'gently');
  }, [flow, layout, size, covered, moveTo]);

  return { opening, camera };
}
