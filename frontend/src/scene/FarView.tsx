import { useStoreApi } from '@xyflow/react';
import { useCallback, useRef } from 'react';
import { seen, type Size, type View } from './camera';
import styles from './FarView.module.css';
import { wireKey } from './graph';
import { type Brush, paintBoxes, paintFrame, paintGround, paintWires, type Palette } from './paint';
import { litTrail, useSurroundings } from './stage';
import type { Layout, Wire } from './types';
import { useCanvas } from './useCanvas';
import { within } from './walk';

/** The whole from far away, on canvas elements: nobody could read cards, and a page cannot hold thousands of them. */
export function FarView({ layout, size }: { layout: Layout; size: Size }) {
  const { look, stage } = useSurroundings();
  const flow = useStoreApi();
  const ground = useRef<HTMLCanvasElement>(null);
  const cards = useRef<HTMLCanvasElement>(null);

  const view = useCallback((): View => {
    const [x, y, zoom] = flow.getState().transform;
    return { x, y, zoom };
  }, [flow]);
  const onView = useCallback((again: () => void) => flow.subscribe((now, before) => { if (now.transform !== before.transform) again(); }), [flow]);
  const onAll = useCallback((again: () => void) => {
    const stops = [onView(again), look.subscribe(again), stage.subscribe(again)];
    return () => { stops.forEach((stop) => { stop(); }); };
  }, [onView, look, stage]);

  const paintQuiet = useCallback((brush: Brush, density: number, palette: Palette) => {
    const eye = { view: view(), density };
    const wires = wiresIn(layout, eye.view, size);
    const isGone = (wire: Wire) => look.gone?.has(wireKey(wire.from, wire.to)) === true;
    paintGround(brush, layout, wires.filter((wire) => !isGone(wire)), eye, palette);
    const pixel = 1 / eye.view.zoom;
    paintWires(brush, wires.filter(isGone), palette('failed'), pixel, 1, [4 * pixel, 3 * pixel]);
  }, [layout, size, view, look]);
  const paintLive = useCallback((brush: Brush, density: number, palette: Palette) => {
    const eye = { view: view(), density };
    const trail = litTrail(stage.getState());
    paintBoxes(
      brush, within(layout, seen(eye.view, size)), look.stateOf,
      (key) => Boolean(trail) && !trail?.tasks.has(key), eye, palette,
    );
    const pixel = 1 / eye.view.zoom;
    const some = (keys: ReadonlySet<string>) => layout.wires.filter((wire) => !wire.redundant && keys.has(wireKey(wire.from, wire.to)));
    if (trail) paintWires(brush, some(trail.wires), palette('ink-2'), 1.5 * pixel, 1);
    paintWires(brush, some(new Set(look.hot())), palette('failed'), 1.5 * pixel, 1);
    for (const key of stage.getState().selected) {
      const box = layout.boxes.get(key);
      if (box) paintFrame(brush, box, eye, palette('focus'));
    }
  }, [layout, size, view, look, stage]);

  useCanvas(ground, size, paintQuiet, onView);
  useCanvas(cards, size, paintLive, onAll);
  return (
    <>
      <canvas ref={ground} className={styles.canvas} aria-hidden="true" />
      <canvas ref={cards} className={styles.canvas} aria-hidden="true" />
    </>
  );
}

function wiresIn(layout: Layout, view: View, size: Size): Wire[] {
  const { y, height } = seen(view, size);
  return layout.wires.filter(({ redundant, points }) => !redundant && (points[0]?.y ?? 0) <= y + height && (points.at(-1)?.y ?? 0) >= y);
}
