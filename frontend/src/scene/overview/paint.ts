import { edgeKey, type Trail } from '@/graph';
import { traceEdge } from '../curve';
import { visibleRect, type Size, type View } from '../camera';
import type { Box, Edge, Layout } from '../types';
import { boxesIn } from '../walk';
import { type NameBrush, paintNames, type TileNames } from './tileNames';

/** The part of a canvas context that painting uses. The caller sets the size of the canvas in device pixels. */
export type Brush = Partial<NameBrush> &
  Pick<
    CanvasRenderingContext2D,
    | 'setTransform'
    | 'clearRect'
    | 'beginPath'
    | 'rect'
    | 'moveTo'
    | 'lineTo'
    | 'bezierCurveTo'
    | 'fill'
    | 'stroke'
    | 'setLineDash'
    | 'fillStyle'
    | 'strokeStyle'
    | 'lineWidth'
    | 'globalAlpha'
    | 'roundRect'
  >;

/** A colour by the name of its token: `line`, `surface`, or a state. */
export type Palette = (name: string) => string;

/** The view of a canvas, and the number of device pixels per pixel of the screen. */
export interface CanvasView {
  view: View;
  density: number;
}

function setView(brush: Brush, { view: { x, y, zoom }, density }: CanvasView): void {
  brush.setTransform(zoom * density, 0, 0, zoom * density, x * density, y * density);
}

/** More edges than this are paler, because together they would cover the boxes. */
const MANY_EDGES = 500;

/** Paints lanes and quiet edges, which change with the view only. */
function paintGround(
  brush: Brush,
  layout: Layout,
  edges: Iterable<Edge>,
  canvasView: CanvasView,
  palette: Palette,
): void {
  setView(brush, canvasView);
  const pixel = 1 / canvasView.view.zoom;
  brush.lineWidth = pixel;
  brush.strokeStyle = palette('line');
  brush.fillStyle = palette('lane');
  brush.beginPath();
  for (const lane of layout.lanes) brush.roundRect(lane.x, lane.y, lane.width, lane.height, 12);
  brush.fill();
  brush.stroke();
  paintEdges(brush, edges, palette('line-strong'), pixel, layout.edges.length > MANY_EDGES ? 0.3 : 0.7);
}

/** Paints edges in one colour, `width` scene pixels wide. Without dashes they are solid. */
function paintEdges(
  brush: Brush,
  edges: Iterable<Edge>,
  colour: string,
  width: number,
  alpha: number,
  dashes: number[] = [],
): void {
  brush.globalAlpha = alpha;
  brush.setLineDash(dashes);
  brush.strokeStyle = colour;
  brush.lineWidth = width;
  // One path for each edge: a single path of thousands of curves takes a second without a graphics card.
  for (const edge of edges) {
    brush.beginPath();
    traceEdge(edge.points, brush);
    brush.stroke();
  }
  brush.setLineDash([]);
  brush.globalAlpha = 1;
}

/** Up to this zoom boxes have no frames, because frames would cover them. */
const FRAMED = 0.1;

/** The states whose boxes are filled: the runs are running or need a person. */
export const FULL: ReadonlySet<string> = new Set(['failed', 'unknown', 'retrying', 'running', 'ready']);

/** The order in which states are painted: those that need a person last, so that nothing covers them. */
const PAINTED_LAST = ['ready', 'running', 'retrying', 'unknown', 'failed'];

/**
 * Paints cards as plain boxes in the colours of their states; `faded` ones are paler. Boxes of failed runs have at
 * least the size `leastFailed`, in pixels of the screen.
 */
export function paintBoxes(
  brush: Brush,
  boxes: Iterable<Box>,
  stateOf: (key: string) => string,
  faded: (key: string) => boolean,
  canvasView: CanvasView,
  palette: Palette,
  leastFailed = 0,
): void {
  setView(brush, canvasView);
  const groups = new Map<string, Box[]>();
  for (const box of boxes) {
    const name = `${stateOf(box.key)} ${faded(box.key) ? 'faded' : ''}`;
    const group = groups.get(name);
    if (group) group.push(box);
    else groups.set(name, [box]);
  }
  const pixel = 1 / canvasView.view.zoom;
  const framed = canvasView.view.zoom > FRAMED;
  const rank = ([name]: [string, unknown]) => PAINTED_LAST.indexOf(name.split(' ')[0] ?? '');
  for (const [name, group] of [...groups].sort((a, b) => rank(a) - rank(b))) {
    const [state = 'none', pale] = name.split(' ');
    const least = state === 'failed' ? leastFailed * pixel : 0;
    brush.beginPath();
    for (const box of group) brush.rect(box.x, box.y, Math.max(least, box.width), Math.max(least, box.height));
    const strength = pale ? 0.35 : 1;
    brush.globalAlpha = strength;
    brush.fillStyle = palette(FULL.has(state) ? state : framed ? 'surface' : 'line-strong');
    brush.fill();
    if (state === 'succeeded') {
      brush.globalAlpha = strength * 0.4;
      brush.fillStyle = palette(state);
      brush.fill();
    }
    if (!framed) continue;
    brush.globalAlpha = strength * 0.7;
    brush.strokeStyle = palette(state === 'none' ? 'line-strong' : state);
    brush.lineWidth = pixel;
    brush.stroke();
  }
  brush.globalAlpha = 1;
}

/** Paints a frame around a box. */
function paintFrame(brush: Brush, box: Box, canvasView: CanvasView, colour: string): void {
  setView(brush, canvasView);
  const pixel = 1 / canvasView.view.zoom;
  brush.strokeStyle = colour;
  brush.lineWidth = 2 * pixel;
  brush.beginPath();
  brush.roundRect(box.x - 3 * pixel, box.y - 3 * pixel, box.width + 6 * pixel, box.height + 6 * pixel, 3 * pixel);
  brush.stroke();
}

/** The content of one canvas of the overview. Pure data, so that a worker can paint it. */
export interface OverviewScene {
  canvasView: CanvasView;
  /** The size of the canvas, in pixels of the screen. */
  size: Size;
  /** Colours by the names of their tokens. */
  colours: Readonly<Record<string, string>>;
  /**
   * The parts of the upper canvas, which change with states, pointer and keyboard. The lower canvas has no such parts.
   */
  live?: {
    states: readonly string[];
    /** For each box, in the order of the layout, the index of its state in `states`. */
    stateIndexes: Uint8Array;
    trail?: Trail;
    /** The edges on the paths of failures, as `edgeKey`; they are red. */
    failureEdges: readonly string[];
    /** Keys of the selected tasks. */
    selected: readonly string[];
  };
  /** Removed edges, as `edgeKey`. */
  removedEdges: ReadonlySet<string>;
}

/** Gives a canvas the size of a scene, which clears it. Returns the canvas. */
export function sizeCanvas<C extends HTMLCanvasElement | OffscreenCanvas>(canvas: C, scene: OverviewScene): C {
  const {
    size,
    canvasView: { density },
  } = scene;
  canvas.width = Math.max(1, Math.round(size.width * density));
  canvas.height = Math.max(1, Math.round(size.height * density));
  return canvas;
}

/** Paints a scene on an empty canvas that has the size of the scene. */
export function paintScene(
  brush: Brush,
  layout: Layout,
  { canvasView, size, colours, live, removedEdges }: OverviewScene,
  names?: TileNames,
): void {
  const palette = (name: string) => colours[name] ?? '';
  const pixel = 1 / canvasView.view.zoom;
  if (!live) {
    const edges = edgesIn(layout, canvasView, size);
    const isRemoved = (edge: Edge) => removedEdges.has(edgeKey(edge.from, edge.to));
    paintGround(
      brush,
      layout,
      edges.filter((edge) => !isRemoved(edge)),
      canvasView,
      palette,
    );
    paintEdges(brush, edges.filter(isRemoved), palette('failed'), pixel, 1, [4 * pixel, 3 * pixel]);
    return;
  }
  const { states, stateIndexes, trail, failureEdges, selected } = live;
  const stateOf = new Map(Array.from(layout.boxes.keys(), (key, i) => [key, states[stateIndexes[i] ?? 0] ?? 'none']));
  const boxes = boxesIn(layout, visibleRect(canvasView.view, size));
  const faded = (key: string) => Boolean(trail) && !trail?.tasks.has(key);
  paintBoxes(brush, boxes, (key) => stateOf.get(key) ?? 'none', faded, canvasView, palette);
  if (names && 'fillText' in brush)
    paintNames(brush as NameBrush, boxes, names, pixel, (key) => ({
      colour: palette(FULL.has(stateOf.get(key) ?? 'none') ? 'surface' : 'ink'),
      strength: faded(key) ? 0.4 : 1,
    }));
  const edgesOf = (keys: ReadonlySet<string>) =>
    layout.edges.filter((edge) => !edge.redundant && keys.has(edgeKey(edge.from, edge.to)));
  if (trail) paintEdges(brush, edgesOf(trail.edges), palette('ink-2'), 1.5 * pixel, 1);
  if (failureEdges.length > 0) paintEdges(brush, edgesOf(new Set(failureEdges)), palette('failed'), 1.5 * pixel, 1);
  for (const key of selected) {
    const box = layout.boxes.get(key);
    if (box) paintFrame(brush, box, canvasView, palette('focus'));
  }
}

/** The visible edges without redundant ones. */
function edgesIn(layout: Layout, { view }: CanvasView, size: Size): Edge[] {
  const { y, height } = visibleRect(view, size);
  return layout.edges.filter(
    ({ redundant, points }) => !redundant && (points[0]?.y ?? 0) <= y + height && (points.at(-1)?.y ?? 0) >= y,
  );
}
