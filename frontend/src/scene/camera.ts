import type { TaskGraph } from '@/graph';
import { baseWidth, rowsFor } from './cardWidths';
import { CARD, INSETS, FOOT, GAP, HEAD, LANE_GAP, LANE_PAD, NARROW, ROW_GAP } from './dimensions';
import type { Layout, Rect } from './types';

/** A view: scene point (0, 0) is at (x, y) of the screen, and lengths are multiplied by `zoom`. */
export interface View {
  x: number;
  y: number;
  zoom: number;
  /** Of a saved view: it is at the level of jobs, where a job may be open. */
  jobs?: { open?: string };
}

/** A size in pixels. */
export interface Size {
  width: number;
  height: number;
}

/** The least zoom at which texts can be read. */
export const READABLE = 0.65;
/** Below this zoom, where cards cannot be read, the overview is shown. */
export const FAR = 0.55;
/** The largest zoom. */
export const MAX_ZOOM = 1.6;

/** While editing, a lane is not broken into rows if its drawing fits the width of the screen at this zoom. */
export const ONE_ROW_MIN_ZOOM = 0.8;

/** Up to this many screens of height, scrolling is better than a smaller zoom. */
const SCREENS = 3;

/**
 * The width for the layout of a graph: the width of the screen if the drawing is at most a few screens high. Otherwise
 * the drawing gets the proportions of the screen, so that the overview is as large as possible. With `oneRow`, a lane
 * that is only a little too wide is not broken into rows: the drawing is made a little smaller. `cards` are the wanted
 * widths of the cards of each lane.
 */
export function widthFor(graph: TaskGraph, screen: Size, oneRow = false, cards: readonly number[] = []): number {
  const lanes = graph.jobs.map((job, i) => ({ count: job.tasks.length, card: baseWidth(cards[i] ?? CARD.width) }));
  const side = (width: number) =>
    width < NARROW
      ? 2 * (INSETS.narrow.margin + INSETS.narrow.side)
      : 2 * (INSETS.wide.margin + INSETS.wide.side) + HEAD;
  const heightBy = (width: number) =>
    lanes.reduce(
      (sum, { count, card }) =>
        sum + LANE_GAP + 2 * LANE_PAD + rowsFor(count, card, width - side(width)) * (CARD.height + ROW_GAP) - ROW_GAP,
      0,
    );
  const widthBy = (columns: number, card: number) => Math.max(NARROW, side(NARROW) + columns * (card + GAP) - GAP);
  const allInOneRow = Math.max(0, ...lanes.map(({ count, card }) => widthBy(count, card)));
  if (oneRow && allInOneRow > screen.width && allInOneRow * ONE_ROW_MIN_ZOOM <= screen.width) return allInOneRow;
  if (heightBy(screen.width) <= screen.height * SCREENS || allInOneRow <= screen.width) return screen.width;
  let [best, scale] = [screen.width, screen.height / heightBy(screen.width)];
  const most = Math.max(...lanes.map(({ count }) => count));
  for (let columns = 1; columns <= most; columns++) {
    const width = widthBy(columns, CARD.width);
    if (width <= screen.width) continue;
    const now = Math.min(screen.width / width, screen.height / heightBy(width));
    if (now > scale) [best, scale] = [width, now];
  }
  return best;
}

/** The size of a screen without `coveredRight` pixels at its right and `coveredTop` pixels at its top. */
export const uncovered = (screen: Size, coveredRight: number, coveredTop = 0): Size =>
  coveredRight > 0 || coveredTop > 0
    ? { width: screen.width - coveredRight, height: screen.height - coveredTop }
    : screen;

/** The least zoom: the whole drawing is visible. */
export function leastZoom(layout: Layout, screen: Size): number {
  return Math.min(1, screen.width / layout.width, screen.height / (layout.height + FOOT));
}

/** The view of the whole drawing, at a zoom of 1 at most. `coveredTop` pixels of the screen's top are covered. */
export function fitAll(layout: Layout, screen: Size, coveredTop = 0): View {
  return centred(layout, screen, leastZoom(layout, uncovered(screen, 0, coveredTop)), coveredTop);
}

/**
 * The first view. The drawing is as wide as the screen, at a zoom between `READABLE` and 1. The view starts at the top,
 * or has the card of `focusKey` in the middle.
 */
export function openingView(layout: Layout, screen: Size, focusKey?: string, coveredRight = 0, coveredTop = 0): View {
  const zoom = Math.max(Math.min(1, screen.width / layout.width), READABLE);
  const view = centred(layout, screen, zoom, coveredTop);
  const box = focusKey === undefined ? undefined : layout.boxes.get(focusKey);
  return box ? reveal(view, box, layout, screen, coveredRight, coveredTop) : view;
}

/**
 * The view with the least change that shows a rectangle and some room around it; the same object if no change is
 * needed. If the view must move horizontally or vertically, the rectangle is centred in that direction. `coveredRight`
 * and `coveredTop` pixels of the screen's right and top are covered: a rectangle at the right is moved just out of that
 * part. A smaller zoom than `least` becomes that one.
 */
export function reveal(
  view: View,
  rect: Rect,
  layout: Layout,
  screen: Size,
  coveredRight = 0,
  coveredTop = 0,
  least = READABLE,
): View {
  const margin = 24;
  const room = screen.width - coveredRight;
  const left = rect.x * view.zoom + view.x;
  const top = rect.y * view.zoom + view.y;
  const fitsX = left >= margin && left + rect.width * view.zoom <= room - margin;
  const fitsY = top >= Math.max(coveredTop, margin) && top + rect.height * view.zoom <= screen.height - margin;
  if (fitsX && fitsY) return view;
  const zoom = Math.max(view.zoom, least);
  const sameZoom = zoom === view.zoom;
  const moveOut = coveredRight > 0 && left >= margin && rect.width * zoom <= room - 2 * margin;
  const x = moveOut ? room - margin - (rect.x + rect.width) * zoom : room / 2 - (rect.x + rect.width / 2) * zoom;
  return clamp(
    {
      zoom,
      x: sameZoom && fitsX ? view.x : x,
      y: sameZoom && fitsY ? view.y : (screen.height + coveredTop) / 2 - (rect.y + rect.height / 2) * zoom,
    },
    layout,
    screen,
    coveredRight,
    coveredTop,
  );
}

/** A saved view, adapted to the present drawing and screen. */
export function restoredView(view: View, layout: Layout, screen: Size, coveredRight = 0, coveredTop = 0): View {
  return clamp(
    { ...view, zoom: Math.max(view.zoom, leastZoom(layout, uncovered(screen, coveredRight, coveredTop))) },
    layout,
    screen,
    coveredRight,
    coveredTop,
  );
}

/** The same view after an edit. If the whole width of the drawing was visible, it stays visible. */
export function afterEdit(view: View, before: Layout, now: Layout, screen: Size, coveredTop = 0): View {
  const wasWhole = before.width * view.zoom <= screen.width + 1;
  const zoom = wasWhole ? Math.min(view.zoom, Math.max(READABLE, screen.width / now.width)) : view.zoom;
  // Room for a former cover of the top stays, so that the drawing does not jump.
  return clamp({ ...view, zoom }, now, screen, 0, Math.max(coveredTop, view.y));
}

/**
 * Limits a view so that as much of the drawing as possible is on the screen. The right and top of the drawing may be
 * moved out of the covered parts of the screen.
 */
export function clamp(view: View, layout: Layout, screen: Size, coveredRight = 0, coveredTop = 0): View {
  const limit = (at: number, length: number, room: number, start: number, coveredEnd: number, coveredStart = 0) => {
    const [most, least] = length <= room ? [start, start] : [0, room - length];
    return Math.min(most + coveredStart, Math.max(Math.min(least, room - coveredEnd - length), at));
  };
  const width = layout.width * view.zoom;
  const height = (layout.height + FOOT) * view.zoom;
  return {
    zoom: view.zoom,
    x: limit(view.x, width, screen.width, (screen.width - width) / 2, coveredRight),
    y: limit(view.y, height, screen.height, 0, 0, coveredTop),
  };
}

/** A view of the top: the middle of a drawing that is narrower than the screen, the left part of others. */
function centred(layout: Layout, screen: Size, zoom: number, coveredTop: number): View {
  return clamp({ x: 0, y: coveredTop, zoom }, layout, screen, 0, coveredTop);
}

/** The view moved down, if its top shows cards that `coveredTop` pixels cover; else the same object. */
export function pushedDown(view: View, layout: Layout, coveredTop: number): View {
  if (view.y < 0 || coveredTop <= view.y) return view;
  const top = Math.min(...[...layout.boxes.values()].map((box) => box.y));
  return top * view.zoom + view.y < coveredTop ? { ...view, y: coveredTop } : view;
}

/** The limits of the view for React Flow: two corners of a rectangle of the scene. */
export function bounds(
  layout: Layout,
  screen: Size,
  coveredRight = 0,
  coveredTop = 0,
): [[number, number], [number, number]] {
  return [
    [0, coveredTop > 0 ? -coveredTop / READABLE : 0],
    [Math.max(layout.width, screen.width) + coveredRight / READABLE, Math.max(layout.height + FOOT, screen.height)],
  ];
}

/** The part of the scene that a screen shows in a view. */
export function visibleRect(view: View, screen: Size): Rect {
  return {
    x: -view.x / view.zoom,
    y: -view.y / view.zoom,
    width: screen.width / view.zoom,
    height: screen.height / view.zoom,
  };
}

/** A vertical range of the scene: lanes, heads and edges in it are mounted. */
export interface VisibleRange {
  top: number;
  bottom: number;
}

/** The range changes in steps of this many scene pixels, so that not every move renders lanes again. */
const STEP = 256;
const RANGE_MARGIN = STEP / 4;

/** The visible range with some room around it. Both ends change in the same step. */
export function visibleRange(view: View, screen: Size, step = STEP): VisibleRange {
  const { y, height } = visibleRect(view, screen);
  const top = Math.floor((y - RANGE_MARGIN) / step) * step;
  return { top, bottom: top + (Math.ceil((height + 2 * RANGE_MARGIN) / step) + 1) * step };
}

/** A range widened to larger steps, in which it changes more seldom. */
export const widened = ({ top, bottom }: VisibleRange): VisibleRange => ({
  top: Math.floor(top / STEP) * STEP,
  bottom: Math.ceil(bottom / STEP) * STEP,
});
