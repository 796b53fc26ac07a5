import type { TaskGraph } from '@/graph';
import { CARD, INSETS, FOOT, GAP, HEAD, LANE_GAP, LANE_PAD, NARROW, ROW_GAP } from './dimensions';
import type { Layout, Rect } from './types';

/** A view: scene point (0, 0) is at (x, y) of the screen, enlarged by `zoom`. */
export interface View {
  x: number;
  y: number;
  zoom: number;
}

/** A size in pixels. */
export interface Size {
  width: number;
  height: number;
}

/** From this zoom on texts can be read. */
export const READABLE = 0.65;
/** Below this zoom the overview is shown: nobody could read cards. */
export const FAR = 0.5;
/** The largest zoom. */
export const MAX_ZOOM = 1.6;

/** A drawing may be made smaller by this factor without looking like another one. */
export const LITTLE = 0.8;

/** Up to so many screens of scrolling are easier to read than a drawing made small. */
const SCREENS = 3;

/**
 * The width to lay a graph out in: the width of the screen if the result is at most a few screens high, otherwise the
 * one that gives the drawing the proportions of the screen, so that the overview is as large as possible. With `whole`,
 * a lane that is only a little too wide is not broken into rows: the whole drawing is made a little smaller.
 */
export function widthFor(graph: TaskGraph, screen: Size, whole = false): number {
  const counts = graph.jobs.map((job) => job.tasks.length);
  const side = (width: number) =>
    width < NARROW
      ? 2 * (INSETS.narrow.margin + INSETS.narrow.side)
      : 2 * (INSETS.wide.margin + INSETS.wide.side) + HEAD;
  const columnsIn = (width: number) => Math.max(1, Math.floor((width - side(width) + GAP) / (CARD.width + GAP)));
  const heightBy = (columns: number) =>
    counts.reduce(
      (sum, n) => sum + LANE_GAP + 2 * LANE_PAD + Math.ceil(n / columns) * (CARD.height + ROW_GAP) - ROW_GAP,
      0,
    );
  const own = columnsIn(screen.width);
  const most = Math.max(own, ...counts);
  const widthBy = (columns: number) => Math.max(NARROW, side(NARROW) + columns * (CARD.width + GAP) - GAP);
  if (whole && most > own && widthBy(most) * LITTLE <= screen.width) return widthBy(most);
  if (heightBy(own) <= screen.height * SCREENS || most === own) return screen.width;
  let [best, scale] = [screen.width, screen.height / heightBy(own)];
  for (let columns = own + 1; columns <= most; columns++) {
    const now = Math.min(screen.width / widthBy(columns), screen.height / heightBy(columns));
    if (now > scale) [best, scale] = [widthBy(columns), now];
  }
  return best;
}

/** The part of a screen that is not covered at its right and its top. */
export const uncovered = (screen: Size, covered: number, above = 0): Size =>
  covered > 0 || above > 0 ? { width: screen.width - covered, height: screen.height - above } : screen;

/** The least zoom, at which the whole drawing can be seen. */
export function leastZoom(layout: Layout, screen: Size): number {
  return Math.min(1, screen.width / layout.width, screen.height / (layout.height + FOOT));
}

/** The view of the whole drawing, at a zoom of 1 at most. `above` pixels of the screen's top are covered. */
export function fitAll(layout: Layout, screen: Size, above = 0): View {
  return centred(layout, screen, leastZoom(layout, uncovered(screen, 0, above)), above);
}

/**
 * The first view: as wide as the screen if texts can be read then, otherwise at the least zoom at which they can;
 * from the top, or with the card of the key `matters` in the middle.
 */
export function openingView(layout: Layout, screen: Size, matters?: string, covered = 0, above = 0): View {
  const zoom = Math.max(Math.min(1, screen.width / layout.width), READABLE);
  const view = centred(layout, screen, zoom, above);
  const box = matters === undefined ? undefined : layout.boxes.get(matters);
  return box ? reveal(view, box, layout, screen, covered, above) : view;
}

/**
 * The least change of a view that shows a rectangle with some room around it; the same object if that is so already.
 * In a direction in which the view must move, the rectangle comes to the middle. `covered` and `above` pixels of the
 * screen's right and top are covered: a covered rectangle is moved just out of there.
 */
export function reveal(view: View, rect: Rect, layout: Layout, screen: Size, covered = 0, above = 0): View {
  const air = 24;
  const room = screen.width - covered;
  const left = rect.x * view.zoom + view.x;
  const top = rect.y * view.zoom + view.y;
  const across = left >= air && left + rect.width * view.zoom <= room - air;
  const down = top >= Math.max(above, air) && top + rect.height * view.zoom <= screen.height - air;
  if (across && down) return view;
  const zoom = Math.max(view.zoom, READABLE);
  const same = zoom === view.zoom;
  const out = covered > 0 && left >= air && rect.width * zoom <= room - 2 * air;
  const x = out ? room - air - (rect.x + rect.width) * zoom : room / 2 - (rect.x + rect.width / 2) * zoom;
  return clamp(
    {
      zoom,
      x: same && across ? view.x : x,
      y: same && down ? view.y : (screen.height + above) / 2 - (rect.y + rect.height / 2) * zoom,
    },
    layout,
    screen,
    covered,
    above,
  );
}

/** A view that the user left, for a drawing and a screen that may have changed since. */
export function restoredView(view: View, layout: Layout, screen: Size, covered = 0, above = 0): View {
  return clamp(
    { ...view, zoom: Math.max(view.zoom, leastZoom(layout, uncovered(screen, covered, above))) },
    layout,
    screen,
    covered,
    above,
  );
}

/** The same view after an edit: if the whole width of the drawing could be seen, it still can. */
export function afterEdit(view: View, before: Layout, now: Layout, screen: Size, above = 0): View {
  const wasWhole = before.width * view.zoom <= screen.width + 1;
  const zoom = wasWhole ? Math.min(view.zoom, Math.max(READABLE, screen.width / now.width)) : view.zoom;
  // Where something lay over its top until now, the room for that stays.
  return clamp({ ...view, zoom }, now, screen, 0, Math.max(above, view.y));
}

/**
 * Limits a view so that the drawing fills the screen as far as it can. Its right and top may be moved out of the
 * covered parts of the screen.
 */
export function clamp(view: View, layout: Layout, screen: Size, covered = 0, above = 0): View {
  const along = (at: number, length: number, room: number, start: number, under: number, over = 0) => {
    const [most, least] = length <= room ? [start, start] : [0, room - length];
    return Math.min(most + over, Math.max(Math.min(least, room - under - length), at));
  };
  const width = layout.width * view.zoom;
  const height = (layout.height + FOOT) * view.zoom;
  return {
    zoom: view.zoom,
    x: along(view.x, width, screen.width, (screen.width - width) / 2, covered),
    y: along(view.y, height, screen.height, 0, 0, above),
  };
}

/** From the top; in the middle if the drawing is narrower than the screen, otherwise from the left. */
function centred(layout: Layout, screen: Size, zoom: number, above: number): View {
  return clamp({ x: 0, y: above, zoom }, layout, screen, 0, above);
}

/** Where the view may go, as React Flow takes it: two corners of a rectangle of the scene. */
export function bounds(layout: Layout, screen: Size, covered = 0, above = 0): [[number, number], [number, number]] {
  return [
    [0, above > 0 ? -above / READABLE : 0],
    [Math.max(layout.width, screen.width) + covered / READABLE, Math.max(layout.height + FOOT, screen.height)],
  ];
}

/** The rectangle of the scene that can be seen. */
export function seen(view: View, screen: Size): Rect {
  return {
    x: -view.x / view.zoom,
    y: -view.y / view.zoom,
    width: screen.width / view.zoom,
    height: screen.height / view.zoom,
  };
}

/** From which height to which height of the scene something is mounted. */
export interface VisibleRange {
  top: number;
  bottom: number;
}

/** The range changes in steps of so many scene pixels, so that not every move renders lanes again. */
const STEP = 256;
const AIR = STEP / 4;

/** The range that can be seen, and somewhat more. Both ends take their steps together. */
export function visibleRange(view: View, screen: Size): VisibleRange {
  const { y, height } = seen(view, screen);
  const top = Math.floor((y - AIR) / STEP) * STEP;
  return { top, bottom: top + (Math.ceil((height + 2 * AIR) / STEP) + 1) * STEP };
}
