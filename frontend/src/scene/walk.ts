import { byNumber, type TaskGraph } from '@/graph';
import type { Box, Layout, Point, Rect } from './types';

/** Where a key on the keyboard goes from a card. `needs` and `dependents` follow the dependencies. */
export type Step = 'left' | 'right' | 'up' | 'down' | 'first' | 'last' | 'needs' | 'dependents';

const middle = (box: Box) => box.x + box.width / 2;

/** The card to go to; the same one where there is none. Without a card to start from, the first. */
export function step(graph: TaskGraph, layout: Layout, from: string | undefined, to: Step): string | undefined {
  const rows = rowsOf(layout);
  const box = from === undefined ? undefined : layout.boxes.get(from);
  if (!box || to === 'first') return rows[0]?.[0]?.key;
  if (to === 'last') return rows.at(-1)?.at(-1)?.key;
  if (to === 'needs' || to === 'dependents') {
    const g = byNumber(graph);
    const tied = (to === 'needs' ? g.needs : g.dependents)[g.byKey.get(box.key) ?? -1] ?? [];
    const boxes = tied.flatMap((task) => layout.boxes.get(g.tasks[task]?.key ?? '') ?? []);
    return nearest(boxes, box)?.key ?? box.key;
  }
  const at = rows.findIndex((row) => row[0]?.y === box.y);
  const row = rows[at] ?? [];
  const place = row.indexOf(box);
  if (to === 'left' || to === 'right') return row[place + (to === 'left' ? -1 : 1)]?.key ?? box.key;
  return nearest(rows[at + (to === 'up' ? -1 : 1)] ?? [], box)?.key ?? box.key;
}

/** The nearest by height, then sideways; of equally near ones the first. */
function nearest(boxes: readonly Box[], from: Box): Box | undefined {
  let best: Box | undefined;
  const away = (box: Box) => Math.abs(box.y - from.y) * 10_000 + Math.abs(middle(box) - middle(from));
  for (const box of boxes) if (!best || away(box) < away(best)) best = box;
  return best;
}

const rowsKnown = new WeakMap<Layout, Box[][]>();

/** The cards by rows, from the top; those of a row from the left. Computed once for each layout. */
export function rowsOf(layout: Layout): readonly (readonly Box[])[] {
  const known = rowsKnown.get(layout);
  if (known) return known;
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
  rowsKnown.set(layout, made);
  return made;
}

/** The card at a point of the scene. */
export function hit(layout: Layout, { x, y }: Point): Box | undefined {
  for (const row of rowsOf(layout)) {
    const top = row[0]?.y ?? 0;
    if (y < top) return undefined;
    if (y > top + (row[0]?.height ?? 0)) continue;
    return row.find((box) => x >= box.x && x <= box.x + box.width);
  }
  return undefined;
}

/** The cards that touch a rectangle of the scene. */
export function within(layout: Layout, rect: Rect): Box[] {
  return rowsOf(layout)
    .filter((row) => touches(row[0]?.y ?? 0, row[0]?.height ?? 0, rect.y, rect.height))
    .flatMap((row) => row.filter((box) => touches(box.x, box.width, rect.x, rect.width)));
}

function touches(a: number, length: number, b: number, other: number): boolean {
  return a <= b + other && b <= a + length;
}
