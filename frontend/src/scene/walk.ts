import { byNumber, type TaskGraph } from '@/graph';
import type { Box, Layout, Point, Rect } from './types';

/** A step of the keyboard from a card. `needs` and `dependents` follow the dependencies. */
export type Step = 'left' | 'right' | 'up' | 'down' | 'first' | 'last' | 'needs' | 'dependents';

const middle = (box: Box) => box.x + box.width / 2;

/** The card that a step leads to; the same card if there is no other. Without a start, the first card. */
export function cardAfterStep(
  graph: TaskGraph,
  layout: Layout,
  from: string | undefined,
  to: Step,
): string | undefined {
  const rows = rowsOf(layout);
  const box = from === undefined ? undefined : layout.boxes.get(from);
  if (!box || to === 'first') return rows[0]?.[0]?.key;
  if (to === 'last') return rows.at(-1)?.at(-1)?.key;
  const next =
    to === 'needs' || to === 'dependents'
      ? nearest(relatedBoxes(graph, layout, box, to), box)
      : neighbour(rows, box, to);
  return (next ?? box).key;
}

/** The next card in the row of a card, or the nearest one in the row above or below. */
function neighbour(rows: readonly (readonly Box[])[], box: Box, to: 'left' | 'right' | 'up' | 'down'): Box | undefined {
  const at = rows.findIndex((row) => row[0]?.y === box.y);
  if (to === 'up' || to === 'down') return nearest(rows[at + (to === 'up' ? -1 : 1)] ?? [], box);
  const row = rows[at] ?? [];
  return row[row.indexOf(box) + (to === 'left' ? -1 : 1)];
}

/** The cards of the tasks that a task needs, or that need it. */
function relatedBoxes(graph: TaskGraph, layout: Layout, box: Box, to: 'needs' | 'dependents'): Box[] {
  const g = byNumber(graph);
  const tasks = g[to][g.byKey.get(box.key) ?? -1] ?? [];
  return tasks.flatMap((task) => layout.boxes.get(g.tasks[task]?.key ?? '') ?? []);
}

/** The nearest card, vertically first, then horizontally; the first one of several. */
function nearest(boxes: readonly Box[], from: Box): Box | undefined {
  let best: Box | undefined;
  const away = (box: Box) => Math.abs(box.y - from.y) * 10_000 + Math.abs(middle(box) - middle(from));
  for (const box of boxes) if (!best || away(box) < away(best)) best = box;
  return best;
}

const rowsByLayout = new WeakMap<Layout, Box[][]>();

/** The cards by rows, from the top; the cards of a row from the left. Computed once for each layout. */
export function rowsOf(layout: Layout): readonly (readonly Box[])[] {
  const cached = rowsByLayout.get(layout);
  if (cached) return cached;
  const rows = new Map<number, Box[]>();
  for (const box of layout.boxes.values()) {
    const row = rows.get(box.y);
    if (row) row.push(box);
    else rows.set(box.y, [box]);
  }
  const made = [...rows.values()].sort((a, b) => (a[0]?.y ?? 0) - (b[0]?.y ?? 0));
  made.forEach((row) => {
    row.sort((a, b) => a.x - b.x);
  });
  rowsByLayout.set(layout, made);
  return made;
}

/** The card at a point of the scene. */
export function boxAt(layout: Layout, { x, y }: Point): Box | undefined {
  for (const row of rowsOf(layout)) {
    const top = row[0]?.y ?? 0;
    if (y < top) return undefined;
    if (y > top + (row[0]?.height ?? 0)) continue;
    return row.find((box) => x >= box.x && x <= box.x + box.width);
  }
  return undefined;
}

/** The cards that touch a rectangle of the scene. */
export function boxesIn(layout: Layout, rect: Rect): Box[] {
  return rowsOf(layout)
    .filter((row) => touches(row[0]?.y ?? 0, row[0]?.height ?? 0, rect.y, rect.height))
    .flatMap((row) => row.filter((box) => touches(box.x, box.width, rect.x, rect.width)));
}

function touches(a: number, length: number, b: number, other: number): boolean {
  return a <= b + other && b <= a + length;
}
