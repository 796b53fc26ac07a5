import type { Point } from './types';

/** The target of a drawn path: an SVG path or a canvas. */
export interface Pen {
  moveTo: (x: number, y: number) => void;
  lineTo: (x: number, y: number) => void;
  bezierCurveTo: (ax: number, ay: number, bx: number, by: number, x: number, y: number) => void;
}

/** Draws an edge: vertical at each point, straight between equal x, and bent only between rows. */
export function traceEdge(points: readonly Point[], pen: Pen): void {
  let at: Point | undefined;
  for (const p of points) {
    if (!at) pen.moveTo(p.x, p.y);
    else if (p.x === at.x) pen.lineTo(p.x, p.y);
    else {
      const bend = (p.y - at.y) * 0.5;
      pen.bezierCurveTo(at.x, at.y + bend, p.x, p.y - bend, p.x, p.y);
    }
    at = p;
  }
}

/** Edges as the `d` of one SVG path. */
export function svgPath(edges: Iterable<{ points: readonly Point[] }>): string {
  let d = '';
  const pen: Pen = {
    moveTo: (x, y) => {
      d += `M${x} ${y}`;
    },
    lineTo: (x, y) => {
      d += `L${x} ${y}`;
    },
    bezierCurveTo: (ax, ay, bx, by, x, y) => {
      d += `C${ax} ${ay} ${bx} ${by} ${x} ${y}`;
    },
  };
  for (const edge of edges) traceEdge(edge.points, pen);
  return d;
}
