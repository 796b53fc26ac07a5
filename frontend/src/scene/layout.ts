import { byNumber, edgeKey, type NumberedGraph, type TaskGraph } from '@/graph';
import { CARD, INSETS, EMPTY_LANE, GAP, HEAD, HEAD_ABOVE, LANE_GAP, LANE_PAD, NARROW, ROW_GAP } from './dimensions';
import { fittingWidth, rowsFor } from './cardWidths';
import { orderLanes } from './order';
import { type Cell, choosePassages, edgePoints, type LaneLayout, placeTracks, spread, widenChannels } from './route';
import { findReuse, type Reuse } from './incrementalLayout';
import type { Box, Lane, Layout, PreviousLayout, Edge } from './types';

type Pair = readonly [from: number, to: number];

/**
 * Lays a graph out in a width, in scene pixels. The result does not depend on the state of a batch. If the cards of a
 * lane do not fit side by side, the lane has several rows, which are filled column by column. Edges pass through the
 * channels between columns. After an edit, pass the previous layout: the untouched parts stay. `cards` are the wanted
 * widths of the cards of each lane, see cardWidths.ts.
 */
export function layoutGraph(
  graph: TaskGraph,
  { width, cards = [], previous }: { width: number; cards?: readonly number[]; previous?: PreviousLayout },
): Layout {
  const g = byNumber(graph);
  const narrow = width < NARROW;
  const { margin, side } = narrow ? INSETS.narrow : INSETS.wide;
  const low = margin + side + (narrow ? 0 : HEAD);
  const high = Math.max(low + CARD.width, Math.floor(width) - margin - side);
  const [drawn, redundant] = pairsOf(graph, g);

  const total = high + side + margin;
  const reuse = previous && findReuse(graph, g, drawn, previous);
  const { lanes, cells } = stack(reuse?.order ?? orderLanes(g, drawn), cards, [low, high], narrow);
  if (reuse) pinLanes(lanes, reuse, Math.round((total - previous.layout.width) / 2), [low, high]);
  const neighbours = neighboursOf(g, drawn);
  align(lanes, cells, neighbours, [low, high], 3);
  const passages = [...drawn, ...redundant].map(([from, to]) =>
    choosePassages(lanes, cells, from, to, [low - side, high + side]),
  );
  if (widenChannels(lanes, passages.slice(0, drawn.length).flat(), high - low))
    align(lanes, cells, neighbours, [low, high], 1);
  placeTracks(lanes, passages.flat(), [low - side, high + side]);

  const boxes = boxesOf(g, lanes);
  const boxOf = (task: number) => boxes.get(g.tasks[task]?.key ?? '');
  const edges = [...drawn, ...redundant].flatMap(([from, to], i): Edge | [] => {
    const [a, b] = [boxOf(from), boxOf(to)];
    return a && b
      ? { from: a.key, to: b.key, redundant: i >= drawn.length, points: edgePoints(a, b, passages[i] ?? [], lanes) }
      : [];
  });
  const last = lanes.at(-1);
  return {
    width: total,
    height: last ? last.top + last.height + margin : 2 * margin,
    narrow,
    lanes: lanes.map((lane, index) => laneOf(graph, lane, index, [margin, total - margin], boxes)),
    boxes,
    edges,
  };
}

/** The drawn dependencies, and the redundant ones, as numbers of tasks. */
function pairsOf(graph: TaskGraph, g: NumberedGraph): [Pair[], Pair[]] {
  const out: [Pair[], Pair[]] = [[], []];
  g.needs.forEach((all, to) => {
    for (const from of all)
      out[graph.redundant.has(edgeKey(g.tasks[from]?.key ?? '', g.tasks[to]?.key ?? '')) ? 1 : 0].push([from, to]);
  });
  return out;
}

/** Stacks lanes: gives each its rows, columns and height, and each task its cell. */
function stack(
  order: readonly (readonly number[])[],
  cards: readonly number[],
  [low, high]: readonly [number, number],
  narrow: boolean,
): { lanes: LaneLayout[]; cells: Cell[] } {
  const cells: Cell[] = [];
  let top: number = (narrow ? INSETS.narrow : INSETS.wide).margin;
  const lanes = order.map((tasks, index): LaneLayout => {
    const card = fittingWidth(cards[index] ?? CARD.width, tasks.length, high - low);
    const rows = rowsFor(tasks.length, card, high - low);
    const columns: number[][] = [];
    tasks.forEach((task, i) => {
      const column = Math.floor(i / rows);
      (columns[column] ??= []).push(task);
      cells[task] = { lane: index, column, row: i % rows };
    });
    const above = narrow ? HEAD_ABOVE : LANE_PAD;
    const height = rows === 0 ? EMPTY_LANE : above + rows * CARD.height + (rows - 1) * ROW_GAP + LANE_PAD;
    const span = columns.length * (card + GAP) - GAP;
    const start = Math.round(low + (high - low - span) / 2);
    const lane = {
      columns,
      rows,
      top,
      height,
      firstRow: top + above,
      card,
      xs: columns.map((_, i) => start + i * (card + GAP)),
      gaps: columns.map(() => GAP),
    };
    top += height + LANE_GAP;
    return lane;
  });
  return { lanes, cells };
}

/**
 * Keeps columns with the same cards as before at their position, moved by `shift` after a change of the width. A lane
 * without touched tasks is pinned: none of its columns moves.
 */
function pinLanes(
  lanes: readonly LaneLayout[],
  reuse: Reuse,
  shift: number,
  [low, high]: readonly [number, number],
): void {
  lanes.forEach((lane, index) => {
    if (!reuse.noneAdded[index] || lane.rows === 0) return;
    const formerXs = lane.columns.map((tasks) => {
      const xs = new Set(
        tasks.map((task, row) => {
          const box = reuse.boxes.get(task);
          return box?.row === row ? box.x + shift + (box.width - lane.card) / 2 : undefined;
        }),
      );
      return xs.size === 1 ? xs.values().next().value : undefined;
    });
    const xs = formerXs.filter((x) => x !== undefined);
    if (xs.some((x) => x < low || x + lane.card > high)) return;
    const first = reuse.boxes.get(lane.columns[0]?.[0] ?? -1);
    if (reuse.untouched[index] && xs.length === formerXs.length && first?.width === lane.card) {
      lane.xs = xs;
      lane.gaps = xs.map((x, i) => (xs[i + 1] ?? x + lane.card + GAP) - x - lane.card);
      lane.pinned = true;
    } else lane.formerXs = formerXs;
  });
}

/** For each task, the tasks above and below it at the other ends of its drawn edges. */
interface Neighbours {
  up: readonly (readonly number[])[];
  down: readonly (readonly number[])[];
}

function neighboursOf(g: NumberedGraph, drawn: readonly Pair[]): Neighbours {
  const up: number[][] = g.tasks.map(() => []);
  const down: number[][] = g.tasks.map(() => []);
  for (const [from, to] of drawn) {
    up[to]?.push(from);
    down[from]?.push(to);
  }
  return { up, down };
}

/** Moves columns towards the neighbours of their cards, in passes down and up. Their order stays. */
function align(
  lanes: readonly LaneLayout[],
  cells: readonly Cell[],
  { up, down }: Neighbours,
  [low, high]: readonly [number, number],
  passes: number,
): void {
  const middle = (task: number) => {
    const cell = cells[task];
    const lane = lanes[cell?.lane ?? -1];
    return cell && lane ? (lane.xs[cell.column] ?? 0) + lane.card / 2 : 0;
  };
  const pull = (lane: LaneLayout, sides: readonly (readonly (readonly number[])[])[]) => {
    if (lane.pinned) return;
    const wanted = lane.columns.map((tasks, column) => {
      const formerX = lane.formerXs?.[column];
      if (formerX !== undefined) return formerX;
      const neighbours = tasks.flatMap((task) => sides.flatMap((side) => side[task] ?? []));
      return neighbours.length === 0
        ? (lane.xs[column] ?? 0)
        : neighbours.reduce((sum, task) => sum + middle(task), 0) / neighbours.length - lane.card / 2;
    });
    lane.xs = spread(wanted, (i) => lane.card + (lane.gaps[i] ?? GAP), low, high - lane.card).map(Math.round);
  };
  for (let pass = 0; pass < passes; pass++) {
    for (const lane of lanes) pull(lane, [up]);
    for (const lane of lanes.toReversed()) pull(lane, [down]);
  }
  for (const lane of lanes) pull(lane, [up, down]);
  if (lanes.some((lane) => lane.pinned)) return;
  // Centres the drawing again.
  const left = Math.min(...lanes.map((lane) => lane.xs[0] ?? high));
  const right = Math.max(...lanes.map((lane) => (lane.xs.at(-1) ?? low) + lane.card));
  const shift = Math.round((low + high - left - right) / 2);
  for (const lane of lanes) lane.xs = lane.xs.map((at) => at + shift);
}

function boxesOf(g: NumberedGraph, lanes: readonly LaneLayout[]): Map<string, Box> {
  const boxes = new Map<string, Box>();
  lanes.forEach((lane, index) => {
    for (let row = 0; row < lane.rows; row++) {
      lane.columns.forEach((tasks, column) => {
        const task = g.tasks[tasks[row] ?? -1];
        if (task)
          boxes.set(task.key, {
            key: task.key,
            lane: index,
            row,
            x: lane.xs[column] ?? 0,
            y: lane.firstRow + row * (CARD.height + ROW_GAP),
            width: lane.card,
            height: CARD.height,
          });
      });
    }
  });
  return boxes;
}

function laneOf(
  graph: TaskGraph,
  lane: LaneLayout,
  index: number,
  [left, right]: readonly [number, number],
  boxes: ReadonlyMap<string, Box>,
): Lane {
  const job = graph.jobs[index];
  const waiting = job?.tasks.filter((task) => task.waitsForAll) ?? [];
  const ties = waiting.flatMap((task) => {
    const box = boxes.get(task.key);
    return box?.row === 0 ? { x: box.x + box.width / 2, y: box.y } : [];
  });
  return {
    key: job?.key ?? '',
    index,
    x: left,
    y: lane.top,
    width: right - left,
    height: lane.height,
    ties,
    waitsForAll: waiting.length > 0,
  };
}
