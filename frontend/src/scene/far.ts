import { edgeKey, type Trail } from '@/graph';
import { seen, type Size } from './camera';
import { type Brush, type Eye, paintBoxes, paintFrame, paintGround, paintEdges } from './paint';
import type { Layout, Edge } from './types';
import { within } from './walk';

/** What one picture of a drawing from afar shows. Pure data: a worker paints it. */
export interface Picture {
  eye: Eye;
  /** Of the picture, in pixels of the screen. */
  size: Size;
  /** By the names of their tokens. */
  colours: Readonly<Record<string, string>>;
  /** What the state of a batch, a hand or a keyboard changes; without it, the ground: lanes and quiet edges. */
  live?: {
    /** The states that there are, and which of them each box has, in their order. */
    states: readonly string[];
    of: Uint8Array;
    trail?: Trail;
    hot: readonly string[];
    selected: readonly string[];
  };
  gone: ReadonlySet<string>;
}

/** Gives a canvas the size of a picture, which empties it. */
export function fit<C extends HTMLCanvasElement | OffscreenCanvas>(canvas: C, { size, eye: { density } }: Picture): C {
  canvas.width = Math.max(1, Math.round(size.width * density));
  canvas.height = Math.max(1, Math.round(size.height * density));
  return canvas;
}

/** Paints a picture on an empty canvas of its size. */
export function paintPicture(brush: Brush, layout: Layout, { eye, size, colours, live, gone }: Picture): void {
  const palette = (name: string) => colours[name] ?? '';
  const pixel = 1 / eye.view.zoom;
  if (!live) {
    const edges = edgesIn(layout, eye, size);
    const isGone = (edge: Edge) => gone.has(edgeKey(edge.from, edge.to));
    paintGround(
      brush,
      layout,
      edges.filter((edge) => !isGone(edge)),
      eye,
      palette,
    );
    paintEdges(brush, edges.filter(isGone), palette('failed'), pixel, 1, [4 * pixel, 3 * pixel]);
    return;
  }
  const { states, of, trail, hot, selected } = live;
  const stateOf = new Map(Array.from(layout.boxes.keys(), (key, i) => [key, states[of[i] ?? 0] ?? 'none']));
  paintBoxes(
    brush,
    within(layout, seen(eye.view, size)),
    (key) => stateOf.get(key) ?? 'none',
    (key) => Boolean(trail) && !trail?.tasks.has(key),
    eye,
    palette,
  );
  const some = (keys: ReadonlySet<string>) =>
    layout.edges.filter((edge) => !edge.redundant && keys.has(edgeKey(edge.from, edge.to)));
  if (trail) paintEdges(brush, some(trail.edges), palette('ink-2'), 1.5 * pixel, 1);
  if (hot.length > 0) paintEdges(brush, some(new Set(hot)), palette('failed'), 1.5 * pixel, 1);
  for (const key of selected) {
    const box = layout.boxes.get(key);
    if (box) paintFrame(brush, box, eye, palette('focus'));
  }
}

function edgesIn(layout: Layout, { view }: Eye, size: Size): Edge[] {
  const { y, height } = seen(view, size);
  return layout.edges.filter(
    ({ redundant, points }) => !redundant && (points[0]?.y ?? 0) <= y + height && (points.at(-1)?.y ?? 0) >= y,
  );
}
