import type { JobBundle } from '@/graph';
import { jobOfMark, laneMark } from '../sceneStore';
import type { Box, Layout } from '../types';
import { rowsOf, type Step } from '../walk';

/**
 * The bar or card that a step of the keyboard leads to, at the level of jobs. Bars are given by the marks of their
 * lanes. Up and down lead from bar to bar, and through the cards of the open job; with Alt they follow ribbons.
 */
export function stepOnJobs(
  layout: Layout,
  bundles: readonly JobBundle[],
  from: string | undefined,
  to: Step,
): string | undefined {
  const marks = layout.lanes.map((lane) => laneMark(lane.key));
  if (to === 'first') return marks[0];
  if (to === 'last') return marks.at(-1);
  const box = from === undefined ? undefined : layout.boxes.get(from);
  const lane = box?.lane ?? layout.lanes.find((each) => each.key === jobOfMark(from))?.index;
  if (lane === undefined) return marks[0];
  if (to === 'needs') return marks[nearestBundle(bundles, lane, 'to', 'from')] ?? from;
  if (to === 'dependents') return marks[nearestBundle(bundles, lane, 'from', 'to')] ?? from;
  return box ? fromCard(layout, marks, box, to) : fromBar(layout, marks, lane, to);
}

/** The job that is nearest along the ribbons of a job; -1 if it has none. */
function nearestBundle(bundles: readonly JobBundle[], lane: number, own: 'from' | 'to', other: 'from' | 'to'): number {
  const jobs = bundles.filter((bundle) => bundle[own] === lane).map((bundle) => bundle[other]);
  return jobs.length === 0 ? -1 : own === 'to' ? Math.max(...jobs) : Math.min(...jobs);
}

const cardRows = (layout: Layout, lane: number) => rowsOf(layout).filter((row) => row[0]?.lane === lane);

/** From a bar: down into its own cards if it is open, up into those of the job above. */
function fromBar(layout: Layout, marks: readonly string[], lane: number, to: Step): string | undefined {
  const own = marks[lane];
  if (to === 'right') return cardRows(layout, lane)[0]?.[0]?.key ?? own;
  if (to === 'down') return cardRows(layout, lane)[0]?.[0]?.key ?? marks[lane + 1] ?? own;
  if (to === 'up') return cardRows(layout, lane - 1).at(-1)?.[0]?.key ?? marks[lane - 1] ?? own;
  return own;
}

function fromCard(layout: Layout, marks: readonly string[], box: Box, to: Step): string | undefined {
  const rows = cardRows(layout, box.lane);
  const at = rows.findIndex((row) => row.includes(box));
  const row = rows[at] ?? [];
  const column = row.indexOf(box);
  switch (to) {
    case 'left':
      return row[column - 1]?.key ?? marks[box.lane];
    case 'right':
      return row[column + 1]?.key ?? box.key;
    case 'up':
      return inColumn(rows[at - 1], column) ?? marks[box.lane];
    default:
      return inColumn(rows[at + 1], column) ?? marks[box.lane + 1] ?? box.key;
  }
}

/** The card of a row in a column, or its last one. */
const inColumn = (row: readonly Box[] | undefined, column: number) => (row?.[column] ?? row?.at(-1))?.key;
