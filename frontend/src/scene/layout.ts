import { byNumber, edgeKey, type NumberedGraph, type TaskGraph } from '@/graph';
import { CARD, INSETS, EMPTY_LANE, GAP, HEAD, HEAD_ABOVE, LANE_GAP, LANE_PAD, NARROW, ROW_GAP } from './measures';
import { orderLanes } from './order';
import { choosePassages, type Rack, edgePoints, settleTracks, type Spot, widenChannels } from './route';
import { spread } from './spread';
import { type Stay, stayOf } from './steady';
import type { Box, Lane, Layout, Past, Edge } from './types';

type Pair = readonly [from: number, to: number];

/**
 * Where everything of a graph stands in a width. Pure, and it looks at nothing but the graph and the width: the state of
 * a batch moves nothing. Cards of a lane that do not fit side by side go on below, column by column; between columns
 * stay channels in which edges pass. After an edit, the drawing of before may be given: what nobody touched stays.
 */
export function layout(graph: TaskGraph, { width, past }: { width: number; past?: Past }): Layout {
  const g = byNumber(graph);
  const narrow = width < NARROW;
  const { margin, side } = narrow ? INSETS.narrow : INSETS.wide;
  const low = margin + side + (narrow ? 0 : HEAD);
  const high = Math.max(low + CARD.width, Math.floor(width) - margin - side);
  const [drawn, redundant] = pairsOf(graph, g);

  const total = high + side + margin;
  const stay = past && stayOf(graph, g, drawn, past);
  const { racks, spots } = stack(stay?.order ?? orderLanes(g, drawn), low, high, narrow);
  if (stay) hold(racks, stay, Math.round((total - past.layout.width) / 2), [low, high]);
  const ties = tiesOf(g, drawn);
  align(racks, spots, ties, [low, high], 3);
  const passages = [...drawn, ...redundant].map(([from, to]) =>
    choosePassages(racks, spots, from, to, [low - side, high + side]),
  );
  if (widenChannels(racks, passages.slice(0, drawn.length).flat(), high - low))
    align(racks, spots, ties, [low, high], 1);
  settleTracks(racks, passages.flat(), [low - side, high + side]);

  const boxes = boxesOf(g, racks);
  const boxOf = (task: number) => boxes.get(g.tasks[task]?.key ?? '');
  const edges = [...drawn, ...redundant].flatMap(([from, to], i): Edge | [] => {
    const [a, b] = [boxOf(from), boxOf(to)];
    return a && b
      ? { from: a.key, to: b.key, redundant: i >= drawn.length, points: edgePoints(a, b, passages[i] ?? [], racks) }
      : [];
  });
  const last = racks.at(-1);
  return {
    width: total,
    height: last ? last.top + last.height + margin : 2 * margin,
    narrow,
    lanes: racks.map((rack, index) => laneOf(graph, rack, index, [margin, total - margin], boxes)),
    boxes,
    edges,
  };
}

/** The dependencies as drawn, and the redundant ones. */
function pairsOf(graph: TaskGraph, g: NumberedGraph): [Pair[], Pair[]] {
  const out: [Pair[], Pair[]] = [[], []];
  g.needs.forEach((all, to) => {
    for (const from of all)
      out[graph.redundant.has(edgeKey(g.tasks[from]?.key ?? '', g.tasks[to]?.key ?? '')) ? 1 : 0].push([from, to]);
  });
  return out;
}

/** Gives each lane its rows and columns, and its height. */
function stack(
  lanes: readonly (readonly number[])[],
  low: number,
  high: number,
  narrow: boolean,
): { racks: Rack[]; spots: Spot[] } {
  const most = Math.max(1, Math.floor((high - low + GAP) / (CARD.width + GAP)));
  const spots: Spot[] = [];
  let top: number = (narrow ? INSETS.narrow : INSETS.wide).margin;
  const racks = lanes.map((tasks, lane): Rack => {
    const rows = Math.ceil(tasks.length / most);
    const columns: number[][] = [];
    tasks.forEach((task, i) => {
      const column = Math.floor(i / rows);
      (columns[column] ??= []).push(task);
      spots[task] = { lane, column, row: i % rows };
    });
    const above = narrow ? HEAD_ABOVE : LANE_PAD;
    const height = rows === 0 ? EMPTY_LANE : above + rows * CARD.height + (rows - 1) * ROW_GAP + LANE_PAD;
    const span = columns.length * (CARD.width + GAP) - GAP;
    const start = Math.round(low + (high - low - span) / 2);
    const rack = {
      columns,
      rows,
      top,
      height,
      firstRow: top + above,
      xs: columns.map((_, i) => start + i * (CARD.width + GAP)),
      gaps: columns.map(() => GAP),
    };
    top += height + LANE_GAP;
    return rack;
  });
  return { racks, spots };
}

/** Keeps lanes where they were, as far as the same cards stand one below the other; all shifted where the width is another. */
function hold(racks: readonly Rack[], stay: Stay, shift: number, [low, high]: readonly [number, number]): void {
  racks.forEach((rack, lane) => {
    if (!stay.unfilled[lane] || rack.rows === 0) return;
    const stood = rack.columns.map((tasks) => {
      const xs = new Set(
        tasks.map((task, row) => {
          const box = stay.boxes.get(task);
          return box?.row === row ? box.x + shift : undefined;
        }),
      );
      return xs.size === 1 ? xs.values().next().value : undefined;
    });
    const xs = stood.filter((x) => x !== undefined);
    if (xs.some((x) => x < low || x + CARD.width > high)) return;
    if (stay.untouched[lane] && xs.length === stood.length) {
      rack.xs = xs;
      rack.gaps = xs.map((x, i) => (xs[i + 1] ?? x + CARD.width + GAP) - x - CARD.width);
      rack.held = true;
    } else rack.stood = stood;
  });
}

interface Ties {
  up: readonly (readonly number[])[];
  down: readonly (readonly number[])[];
}

function tiesOf(g: NumberedGraph, drawn: readonly Pair[]): Ties {
  const up: number[][] = g.tasks.map(() => []);
  const down: number[][] = g.tasks.map(() => []);
  for (const [from, to] of drawn) {
    up[to]?.push(from);
    down[from]?.push(to);
  }
  return { up, down };
}

/** Draws columns towards what their cards are tied to, down and up again, without changing their order. */
function align(
  racks: readonly Rack[],
  spots: readonly Spot[],
  { up, down }: Ties,
  [low, high]: readonly [number, number],
  passes: number,
): void {
  const x = (task: number) => {
    const spot = spots[task];
    return spot ? (racks[spot.lane]?.xs[spot.column] ?? 0) : 0;
  };
  const pull = (rack: Rack, sides: readonly (readonly (readonly number[])[])[]) => {
    if (rack.held) return;
    const wanted = rack.columns.map((tasks, column) => {
      const stood = rack.stood?.[column];
      if (stood !== undefined) return stood;
      const tied = tasks.flatMap((task) => sides.flatMap((side) => side[task] ?? []));
      return tied.length === 0 ? (rack.xs[column] ?? 0) : tied.reduce((sum, task) => sum + x(task), 0) / tied.length;
    });
    rack.xs = spread(wanted, (i) => CARD.width + (rack.gaps[i] ?? GAP), low, high - CARD.width).map(Math.round);
  };
  for (let pass = 0; pass < passes; pass++) {
    for (const rack of racks) pull(rack, [up]);
    for (const rack of racks.toReversed()) pull(rack, [down]);
  }
  for (const rack of racks) pull(rack, [up, down]);
  if (racks.some((rack) => rack.held)) return;
  // The whole comes to stand in the middle again.
  const left = Math.min(...racks.map((rack) => rack.xs[0] ?? high));
  const right = Math.max(...racks.map((rack) => (rack.xs.at(-1) ?? low) + CARD.width));
  const shift = Math.round((low + high - left - right) / 2);
  for (const rack of racks) rack.xs = rack.xs.map((at) => at + shift);
}

function boxesOf(g: NumberedGraph, racks: readonly Rack[]): Map<string, Box> {
  const boxes = new Map<string, Box>();
  racks.forEach((rack, lane) => {
    for (let row = 0; row < rack.rows; row++) {
      rack.columns.forEach((tasks, column) => {
        const task = g.tasks[tasks[row] ?? -1];
        if (task)
          boxes.set(task.key, {
            key: task.key,
            lane,
            row,
            x: rack.xs[column] ?? 0,
            y: rack.firstRow + row * (CARD.height + ROW_GAP),
            ...CARD,
          });
      });
    }
  });
  return boxes;
}

function laneOf(
  graph: TaskGraph,
  rack: Rack,
  index: number,
  [left, right]: readonly [number, number],
  boxes: ReadonlyMap<string, Box>,
): Lane {
  const job = graph.jobs[index];
  const waiting = job?.tasks.filter((task) => task.waitsForAll) ?? [];
  const ties = waiting.flatMap((task) => {
    const box = boxes.get(task.key);
    return box?.row === 0 ? { x: box.x + CARD.width / 2, y: box.y } : [];
  });
  return {
    key: job?.key ?? '',
    index,
    x: left,
    y: rack.top,
    width: right - left,
    height: rack.height,
    ties,
    waitsForAll: waiting.length > 0,
  };
}
