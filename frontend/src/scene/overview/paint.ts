import { trace } from '../curve';
import type { View } from '../camera';
import type { Box, Edge, Layout } from '../types';

/** The part of a canvas context that painting uses; the caller sets the size of the canvas in device pixels. */
export type Brush = Pick<
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

/** What a canvas shows: the view, and how many device pixels a pixel of the screen has. */
export interface CanvasView {
  view: View;
  density: number;
}

function setView(brush: Brush, { view: { x, y, zoom }, density }: CanvasView): void {
  brush.setTransform(zoom * density, 0, 0, zoom * density, x * density, y * density);
}

/** Paints lanes and quiet edges, which change with the view only. */
export function paintGround(
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
  paintEdges(brush, edges, palette('line-strong'), pixel, 0.7);
}

/** Paints edges in one colour, `width` scene pixels wide; solid if no dashes are given. */
export function paintEdges(
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
    trace(edge.points, brush);
    brush.stroke();
  }
  brush.setLineDash([]);
  brush.globalAlpha = 1;
}

/** Up to this zoom boxes have no frames, which would cover all of them. */
const FRAMED = 0.1;

/** The states whose boxes are filled: those of runs that run or need a person. */
const FULL: ReadonlySet<string> = new Set(['failed', 'unknown', 'retrying', 'running', 'ready']);

/** Paints cards as plain boxes in the colours of their states; `faded` ones are paler. */
export function paintBoxes(
  brush: Brush,
  boxes: Iterable<Box>,
  stateOf: (key: string) => string,
  faded: (key: string) => boolean,
  canvasView: CanvasView,
  palette: Palette,
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
  for (const [name, group] of groups) {
    const [state = 'none', pale] = name.split(' ');
    brush.beginPath();
    for (const box of group) brush.rect(box.x, box.y, box.width, box.height);
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
export function paintFrame(brush: Brush, box: Box, canvasView: CanvasView, colour: string): void {
  setView(brush, canvasView);
  const pixel = 1 / canvasView.view.zoom;
  brush.strokeStyle = colour;
  brush.lineWidth = 2 * pixel;
  brush.beginPath();
  brush.roundRect(box.x - 3 * pixel, box.y - 3 * pixel, box.width + 6 * pixel, box.height + 6 * pixel, 3 * pixel);
  brush.stroke();
}
