import type { TaskGraph } from '@/graph';
import { CARD, CARD_WIDTHS, GAP } from './dimensions';
import type { MeasureText } from './textWidth';

/** The part of a card's width that is not room for its name, in pixels. */
export const BESIDE_NAME = 50;
/** A name must fill at most this fraction of its room, since it may be a little wider on the screen than measured. */
const FILL = 0.96;

/** The wanted width of the cards of each lane: the least one that has room for every name, else the largest. */
export function cardWidths(graph: TaskGraph, measure: MeasureText): number[] {
  return graph.jobs.map(({ tasks }) => {
    const widest = tasks.reduce((most, { title, key }) => Math.max(most, measure(title ?? key)), 0);
    return (
      CARD_WIDTHS.find((width) => width - BESIDE_NAME >= widest / FILL) ?? CARD_WIDTHS[CARD_WIDTHS.length - 1] ?? 0
    );
  });
}

/** The number of rows that cards of a width need in a lane. */
export function rowsFor(count: number, card: number, room: number): number {
  return Math.ceil(count / Math.max(1, Math.floor((room + GAP) / (card + GAP))));
}

/** The width of the cards of a lane at which its rows are counted: wider cards must not need more rows. */
export const baseWidth = (wanted: number): number => Math.min(wanted, CARD.width);

/** The largest width up to the wanted one that fits into a lane without more rows. */
export function fittingWidth(wanted: number, count: number, room: number): number {
  const base = baseWidth(wanted);
  const rows = rowsFor(count, base, room);
  return (
    CARD_WIDTHS.findLast((width) => width <= wanted && width <= room && rowsFor(count, width, room) <= rows) ?? base
  );
}
