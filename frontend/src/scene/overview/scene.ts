import { edgeKey, type Trail } from '@/graph';
import { seen, type Size } from '../camera';
import type { Edge, Layout } from '../types';
import { boxesIn } from '../walk';
import { type Brush, type CanvasView, paintBoxes, paintEdges, paintFrame, paintGround } from './paint';

/** What one canvas of the overview shows. Pure data, so that a worker can paint it. */
export interface OverviewScene {
  canvasView: CanvasView;
  /** The size of the canvas, in pixels of the screen. */
  size: Size;
  /** Colours by the names of their tokens. */
  colours: Readonly<Record<string, string>>;
  /** The upper canvas: what states, pointer and keyboard change. Left out for the lower one: lanes and quiet edges. */
  live?: {
    states: readonly string[];
    /** For each box, in the order of the layout, the index of its state in `states`. */
    of: Uint8Array;
    trail?: Trail;
    /** Red edges, as `edgeKey`. */
    hot: readonly string[];
    /** Keys of the selected tasks. */
    selected: readonly string[];
  };
  /** Removed edges, as `edgeKey`. */
  gone: ReadonlySet<string>;
}

/** Gives a canvas the size of a scene, which empties it; answers the canvas. */
export function sizeCanvas<C extends HTMLCanvasElement | OffscreenCanvas>(canvas: C, scene: OverviewScene): C {
  const {
    size,
    canvasView: { density },
  } = scene;
  canvas.width = Math.max(1, Math.round(size.width * density));
  canvas.height = Math.max(1, Math.round(size.height * density));
  return canvas;
}

/** Paints a scene on an empty canvas of its size. */
export function paintScene(
  brush: Brush,
  layout: Layout,
  { canvasView, size, colours, live, gone }: OverviewScene,
): void {
  const palette = (name: string) => colours[name] ?? '';
  const pixel = 1 / canvasView.view.zoom;
  if (!live) {
    const edges = edgesIn(layout, canvasView, size);
    const isGone = (edge: Edge) => gone.has(edgeKey(edge.from, edge.to));
    paintGround(
      brush,
      layout,
      edges.filter((edge) => !isGone(edge)),
      canvasView,
      palette,
    );
    paintEdges(brush, edges.filter(isGone), palette('failed'), pixel, 1, [4 * pixel, 3 * pixel]);
    return;
  }
  const { states, of, trail, hot, selected } = live;
  const stateOf = new Map(Array.from(layout.boxes.keys(), (key, i) => [key, states[of[i] ?? 0] ?? 'none']));
  paintBoxes(
    brush,
    boxesIn(layout, seen(canvasView.view, size)),
    (key) => stateOf.get(key) ?? 'none',
    (key) => Boolean(trail) && !trail?.tasks.has(key),
    canvasView,
    palette,
  );
  const some = (keys: ReadonlySet<string>) =>
    layout.edges.filter((edge) => !edge.redundant && keys.has(edgeKey(edge.from, edge.to)));
  if (trail) paintEdges(brush, some(trail.edges), palette('ink-2'), 1.5 * pixel, 1);
  if (hot.length > 0) paintEdges(brush, some(new Set(hot)), palette('failed'), 1.5 * pixel, 1);
  for (const key of selected) {
    const box = layout.boxes.get(key);
    if (box) paintFrame(brush, box, canvasView, palette('focus'));
  }
}

/** The edges that can be seen, redundant ones left out. */
function edgesIn(layout: Layout, { view }: CanvasView, size: Size): Edge[] {
  const { y, height } = seen(view, size);
  return layout.edges.filter(
    ({ redundant, points }) => !redundant && (points[0]?.y ?? 0) <= y + height && (points.at(-1)?.y ?? 0) >= y,
  );
}
