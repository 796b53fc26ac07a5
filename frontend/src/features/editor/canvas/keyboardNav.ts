import type { TaskGraph } from '@/graph';
import { type Box, jobOfMark, type Lane, laneMark, type Layout, rowsOf, type Step, cardAfterStep } from '@/scene';

/**
 * The card or lane that a key moves to; a lane is returned as its mark. A step left of the first card of a row leads to
 * its lane. A step up or down stops at a lane without cards.
 */
export function stepOnCanvas(graph: TaskGraph, layout: Layout, from: string | undefined, to: Step): string | undefined {
  const job = jobOfMark(from);
  const lane = job === undefined ? undefined : layout.lanes.find((each) => each.key === job);
  if (lane) return stepFromLane(graph, layout, lane, to);
  const box = from === undefined ? undefined : layout.boxes.get(from);
  return box ? stepFromCard(graph, layout, box, to) : outermost(graph, layout, 'first');
}

function stepFromCard(graph: TaskGraph, layout: Layout, box: Box, to: Step): string | undefined {
  const goal = cardAfterStep(graph, layout, box.key, to);
  if (to === 'left' && goal === box.key) return laneMark(layout.lanes[box.lane]?.key ?? '');
  if (to !== 'up' && to !== 'down') return goal;
  const target = goal === undefined || goal === box.key ? undefined : layout.boxes.get(goal);
  const empty = emptyLane(graph, layout, box.lane, target?.lane, to === 'up' ? -1 : 1);
  return empty ? laneMark(empty.key) : goal;
}

function stepFromLane(graph: TaskGraph, layout: Layout, lane: Lane, to: Step): string | undefined {
  switch (to) {
    case 'right': {
      const cards = rowsOf(layout).filter((row) => row[0]?.lane === lane.index);
      return cards[0]?.[0]?.key ?? laneMark(lane.key);
    }
    case 'up':
    case 'down': {
      const next = layout.lanes[lane.index + (to === 'up' ? -1 : 1)];
      return laneMark((next ?? lane).key);
    }
    case 'first':
    case 'last':
      return outermost(graph, layout, to);
    default:
      return laneMark(lane.key);
  }
}

/** The first lane without cards on the way from one lane to another (exclusive); without `to`, to the last lane. */
function emptyLane(
  { jobs }: TaskGraph,
  { lanes }: Layout,
  from: number,
  to: number | undefined,
  by: -1 | 1,
): Lane | undefined {
  const end = to ?? (by < 0 ? -1 : lanes.length);
  for (let at = from + by; at !== end && at >= 0 && at < lanes.length; at += by)
    if (jobs[at]?.tasks.length === 0) return lanes[at];
  return undefined;
}

/** The first or last card; in a schedule without tasks, the first or last lane. */
function outermost(graph: TaskGraph, layout: Layout, to: Step): string | undefined {
  const card = cardAfterStep(graph, layout, undefined, to);
  if (card !== undefined) return card;
  const lane = to === 'last' ? layout.lanes.at(-1) : layout.lanes[0];
  return lane && laneMark(lane.key);
}
