import { type Box, type Layout, type Point, type Rect, rowsOf, traceEdge, type Edge, boxesIn } from '@/scene';

/** The part of the scene at a point. Jobs and tasks are given by their keys. */
export type Hit =
  | { kind: 'handle'; key: string }
  | { kind: 'card'; key: string }
  | { kind: 'edge'; from: string; to: string }
  | { kind: 'head'; job: string }
  /** In a lane, before one of its cards, or at its end. */
  | { kind: 'lane'; job: string; before?: string }
  /** Between lanes: before the lane of that index, or after the last one. */
  | { kind: 'between'; index: number };

/** The tolerances of a hit test, in scene pixels. */
interface Reach {
  /** A point within this distance of an edge hits it. If left out, edges are not hit. */
  edge?: number;
  /** A point within this distance of the middle of a card's lower edge hits its handle. */
  handle?: number;
  /** Redundant edges can be hit, because they are drawn. */
  redundant?: boolean;
}

/** Points this near to the upper or lower edge of a lane count as between lanes, in scene pixels. */
const LANE_MARGIN = 6;

/** The topmost part at a point: handles are over cards, cards over edges, edges over lanes. */
export function hitAt(layout: Layout, point: Point, { edge, handle, redundant = false }: Reach = {}): Hit {
  const near = boxesIn(layout, { x: point.x, y: point.y - (handle ?? 0), width: 0, height: 2 * (handle ?? 0) });
  if (handle !== undefined) {
    const grabbed = near.find(
      (box) => Math.abs(point.x - box.x - box.width / 2) <= handle && overHandle(box, point, handle),
    );
    if (grabbed) return { kind: 'handle', key: grabbed.key };
  }
  const card = near.find(
    (box) => point.x >= box.x && point.x <= box.x + box.width && point.y >= box.y && point.y <= box.y + box.height,
  );
  if (card) return { kind: 'card', key: card.key };
  const touched = edge === undefined ? undefined : edgeAt(layout.edges, point, edge, redundant);
  if (touched) return { kind: 'edge', from: touched.from, to: touched.to };
  return laneAt(layout, point);
}

/** A handle extends less into its card than below it, because the name is there. */
const overHandle = (box: Box, { y }: Point, reach: number) =>
  y >= box.y + box.height - reach / 3 && y <= box.y + box.height + reach;

/** The position in a lane, or between lanes, at a point. */
function laneAt(layout: Layout, { x, y }: Point): Hit {
  for (const lane of layout.lanes) {
    if (y < lane.y + LANE_MARGIN) return { kind: 'between', index: lane.index };
    if (y <= lane.y + lane.height - LANE_MARGIN)
      return { kind: 'lane', job: lane.key, before: cardAfter(layout, lane.index, { x, y }) };
  }
  return { kind: 'between', index: layout.lanes.length };
}

/** The first card right of a point, in the row of a lane that is nearest to the point. */
function cardAfter(layout: Layout, lane: number, { x, y }: Point): string | undefined {
  const rows = rowsOf(layout).filter((row) => row[0]?.lane === lane);
  const distance = (row: readonly Box[]) => Math.abs((row[0]?.y ?? 0) + (row[0]?.height ?? 0) / 2 - y);
  const row = rows.reduce<readonly Box[]>(
    (best, each) => (best.length === 0 || distance(each) < distance(best) ? each : best),
    [],
  );
  return row.find((box) => box.x + box.width / 2 > x)?.key;
}

/** The edge nearest to a point, if one is nearer than `reach` scene pixels. */
export function edgeAt(edges: readonly Edge[], point: Point, reach: number, redundant = false): Edge | undefined {
  let best: Edge | undefined;
  let least = reach;
  for (const edge of edges) {
    if (edge.redundant && !redundant) continue;
    const distance = distanceFrom(edge.points, point, least);
    if (distance < least) [best, least] = [edge, distance];
  }
  return best;
}

/** The number of straight pieces that replace a curve when its distance is measured. */
const STEPS = 12;

/** The distance of a point from an edge. Beyond `reach` it is not exact, and may be Infinity. */
function distanceFrom(points: readonly Point[], { x, y }: Point, reach: number): number {
  if (y < (points[0]?.y ?? 0) - reach || y > (points.at(-1)?.y ?? 0) + reach) return Infinity;
  let least = Infinity;
  let at: Point = { x: 0, y: 0 };
  const measureTo = (to: Point) => {
    least = Math.min(least, distanceFromLine({ x, y }, at, to));
    at = to;
  };
  traceEdge(points, {
    moveTo: (px, py) => {
      at = { x: px, y: py };
    },
    lineTo: (px, py) => {
      measureTo({ x: px, y: py });
    },
    bezierCurveTo: (ax, ay, bx, by, px, py) => {
      if (y < at.y - reach || y > py + reach) {
        at = { x: px, y: py };
        return;
      }
      const from = at;
      for (let step = 1; step <= STEPS; step++) {
        const t = step / STEPS;
        const [a, b, c, d] = [(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t ** 3];
        measureTo({ x: a * from.x + b * ax + c * bx + d * px, y: a * from.y + b * ay + c * by + d * py });
      }
    },
  });
  return least;
}

function distanceFromLine(p: Point, a: Point, b: Point): number {
  const [dx, dy] = [b.x - a.x, b.y - a.y];
  const length = dx * dx + dy * dy;
  const t = length === 0 ? 0 : Math.max(0, Math.min(1, ((p.x - a.x) * dx + (p.y - a.y) * dy) / length));
  return Math.hypot(p.x - a.x - t * dx, p.y - a.y - t * dy);
}

/** The rectangle between two points. */
export function rectBetween(a: Point, b: Point): Rect {
  return { x: Math.min(a.x, b.x), y: Math.min(a.y, b.y), width: Math.abs(a.x - b.x), height: Math.abs(a.y - b.y) };
}
