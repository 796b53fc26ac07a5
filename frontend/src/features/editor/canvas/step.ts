import type { TaskGraph } from '@/graph';
import { jobOfMark, laneMark, type Layout, rowsOf, type Step, step } from '@/scene';

/**
 * The card or lane that a key goes to. Left of a lane's first card is the lane itself; a lane without cards is met on the
 * way up or down.
 */
export function stepOnCanvas(graph: TaskGraph, layout: Layout, from: string | undefined, to: Step): string | undefined {
  const job = jobOfMark(from);
  const lane = layout.lanes.find((each) => each.key === job);
  if (job !== undefined && lane) {
    const cards = rowsOf(layout).filter((row) => row[0]?.lane === lane.index);
    if (to === 'right') return cards[0]?.[0]?.key ?? from;
    if (to === 'up' || to === 'down') {
      const next = layout.lanes[lane.index + (to === 'up' ? -1 : 1)];
      return next ? laneMark(next.key) : from;
    }
    return to === 'left' || to === 'needs' || to === 'dependents' ? from : outermost(graph, layout, to);
  }
  const box = from === undefined ? undefined : layout.boxes.get(from);
  if (!box) return outermost(graph, layout, 'first');
  const goal = step(graph, layout, from, to);
  if (to === 'left' && goal === from) return laneMark(layout.lanes[box.lane]?.key ?? '');
  if (to !== 'up' && to !== 'down') return goal;
  // Lanes without cards between here and there.
  const target = goal === undefined || goal === from ? undefined : layout.boxes.get(goal);
  const by = to === 'up' ? -1 : 1;
  const end = target?.lane ?? (to === 'up' ? -1 : layout.lanes.length);
  for (let at = box.lane + by; at !== end && at >= 0 && at < layout.lanes.length; at += by) {
    const empty = layout.lanes[at];
    if (empty && graph.jobs[at]?.tasks.length === 0) return laneMark(empty.key);
  }
  return goal;
}

/** The first or last card; of a schedule without tasks its first or last lane. */
function outermost(graph: TaskGraph, layout: Layout, to: Step): string | undefined {
  const card = step(graph, layout, undefined, to);
  if (card !== undefined) return card;
  const lane = to === 'last' ? layout.lanes.at(-1) : layout.lanes[0];
  return lane && laneMark(lane.key);
}
