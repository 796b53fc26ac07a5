import { trace } from './curve';
import type { View } from './camera';
import type { Box, Layout, Edge } from './types';

/** What of a canvas is painted with; its size in device pixels is set by the caller. */
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

/** From where a canvas looks: the view, and how many device pixels one of the screen has. */
export interface Eye {
  view: View;
  density: number;
}

function look(brush: Brush, { view: { x, y, zoom }, density }: Eye): void {
  brush.setTransform(zoom * density, 0, 0, zoom * density, x * density, y * density);
}

/** Lanes and quiet edges: what changes only with the view. */
export function paintGround(brush: Brush, layout: Layout, edges: Iterable<Edge>, eye: Eye, palette: Palette): void {
  look(brush, eye);
  const pixel = 1 / eye.view.zoom;
  brush.lineWidth = pixel;
  brush.strokeStyle = palette('line');
  brush.fillStyle = palette('lane');
  brush.beginPath();
  for (const lane of layout.lanes) brush.roundRect(lane.x, lane.y, lane.width, lane.height, 12);
  brush.fill();
  brush.stroke();
  paintEdges(brush, edges, palette('line-strong'), pixel, 0.7);
}

/** Edges of one colour, `width` scene pixels wide, with dashes if they are given. */
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
  // Each by itself: one path of thousands of curves takes a second where no graphics card helps.
  for (const edge of edges) {
    brush.beginPath();
    trace(edge.points, brush);
    brush.stroke();
  }
  brush.setLineDash([]);
  brush.globalAlpha = 1;
}

/** From afar, frames would be all that is seen of a box. */
const FRAMED = 0.1;

/** What runs or needs a person is full, what went well is tinted, all else is hollow. */
const FULL: ReadonlySet<string> = new Set(['failed', 'unknown', 'retrying', 'running', 'ready']);

/** Cards as plain boxes in the colours of their states; `faded` ones are paler. */
export function paintBoxes(
  brush: Brush,
  boxes: Iterable<Box>,
  stateOf: (key: string) => string,
  faded: (key: string) => boolean,
  eye: Eye,
  palette: Palette,
): void {
  look(brush, eye);
  const groups = new Map<string, Box[]>();
  for (const box of boxes) {
    const name = `${stateOf(box.key)} ${faded(box.key) ? 'faded' : ''}`;
    const group = groups.get(name);
    if (group) group.push(box);
    else groups.set(name, [box]);
  }
  const pixel = 1 / eye.view.zoom;
  const framed = eye.view.zoom > FRAMED;
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

/** A frame around a box. */
export function paintFrame(brush: Brush, box: Box, eye: Eye, colour: string): void {
  look(brush, eye);
  const pixel = 1 / eye.view.zoom;
  brush.strokeStyle = colour;
  brush.lineWidth = 2 * pixel;
  brush.beginPath();
  brush.roundRect(box.x - 3 * pixel, box.y - 3 * pixel, box.width + 6 * pixel, box.height + 6 * pixel, 3 * pixel);
  brush.stroke();
}
