import type { Grid, Line } from './grid';
import type { Place } from './marks';

/** The sizes of the picture in pixels. */
export interface Layout {
  /** The width of the names at the left. */
  names: number;
  /** The width of the statistics at the right; 0 if there is no room for them. */
  stats: number;
  /** The height of the bars and dates above the cells. */
  head: number;
  /** The height of the bars alone. */
  bars: number;
  /** The distance of two columns, and of two lines. */
  column: number;
  line: number;
  cell: number;
}

const WIDE: Layout = { names: 214, stats: 186, head: 130, bars: 92, column: 20, line: 24, cell: 14 };
const NARROW: Layout = { names: 128, stats: 0, head: 110, bars: 74, column: 20, line: 31, cell: 14 };
/** The width from which the wide layout fits. */
const WIDE_FROM = 640;

/** The greatest width of the names. */
const MOST_NAMES = 460;

/** The layout for a width of the window of the grid. Names take the space that the columns leave, if they need it. */
export function layoutOf(width: number, columns: number, longest: number): Layout {
  const layout = width < WIDE_FROM ? NARROW : WIDE;
  const free = width - layout.names - columns * layout.column - layout.stats;
  const more = Math.min(longest, MOST_NAMES) - layout.names;
  return more > 0 && free > 0 ? { ...layout, names: layout.names + Math.floor(Math.min(more, free)) } : layout;
}

/** The space before the name of a line. */
export const INDENT = { wide: 54, narrow: 40 };
/** The space after the name of a task, of a job, and between the name of a job and the number of its tasks. */
export const AFTER_NAME = { task: 10, job: 12, count: 8 };

/** The size of the whole picture. */
export function sizeOf(layout: Layout, grid: Grid, lines: readonly Line[]): { width: number; height: number } {
  return {
    width: layout.names + grid.batches.length * layout.column + layout.stats,
    height: layout.head + lines.length * layout.line,
  };
}

/** What the user sees of the picture. */
export interface Window {
  width: number;
  height: number;
  left: number;
  top: number;
}

/** The first and the last number of a range that is at least partly visible. */
export interface Range {
  from: number;
  to: number;
}

const within = (from: number, to: number, count: number): Range => ({
  from: Math.max(0, Math.floor(from)),
  to: Math.min(count - 1, Math.floor(to)),
});

/** The x at which the statistics begin, within the window. */
export const statsAt = (layout: Layout, grid: Grid, view: Window): number =>
  Math.min(view.width - layout.stats, layout.names + grid.batches.length * layout.column);

/** The visible columns. */
export function visibleColumns(layout: Layout, grid: Grid, view: Window): Range {
  const width = statsAt(layout, grid, view) - layout.names;
  return within(view.left / layout.column, (view.left + width) / layout.column, grid.batches.length);
}

/** The visible lines. */
export function visibleLines(layout: Layout, lines: readonly Line[], view: Window): Range {
  return within(view.top / layout.line, (view.top + view.height - layout.head) / layout.line, lines.length);
}

/** The left edge of a column, and the top edge of a line, within the window. */
export const columnX = (layout: Layout, view: Window, x: number): number =>
  layout.names + x * layout.column - view.left;
/** The upper edge of a line in the window. */
export const lineY = (layout: Layout, view: Window, y: number): number => layout.head + y * layout.line - view.top;

/** What is at a point of the window. A missing x is left or right of the cells; a missing y is above them. */
export function hit(
  layout: Layout,
  grid: Grid,
  lines: readonly Line[],
  view: Window,
  px: number,
  py: number,
): Partial<Place> {
  const x = Math.floor((px - layout.names + view.left) / layout.column);
  const y = Math.floor((py - layout.head + view.top) / layout.line);
  const inCells = px >= layout.names && px < statsAt(layout, grid, view) && x >= 0 && x < grid.batches.length;
  return {
    x: inCells ? x : undefined,
    y: py >= layout.head && y >= 0 && y < lines.length ? y : undefined,
  };
}

/** Where the window must scroll to so that a place is visible. */
export function scrollTo(layout: Layout, grid: Grid, view: Window, { x, y }: Place): { left: number; top: number } {
  const width = statsAt(layout, grid, view) - layout.names;
  const height = view.height - layout.head;
  const into = (now: number, at: number, size: number, room: number) =>
    at < now ? at : at + size > now + room ? at + size - room : now;
  return {
    left: into(view.left, x * layout.column, layout.column, width),
    top: into(view.top, y * layout.line, layout.line, height),
  };
}
