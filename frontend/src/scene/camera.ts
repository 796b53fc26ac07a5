import type { TaskGraph } from '@/graph';
import { CARD, INSETS, FOOT, GAP, HEAD, LANE_GAP, LANE_PAD, NARROW, ROW_GAP } from './dimensions';
import type { Layout, Rect } from './types';

/** What a view shows: scene point (0, 0) stands at (x, y) of the screen, enlarged by zoom. */
export interface View {
  x: number;
  y: number;
  zoom: number;
}
export interface Size {
  width: number;
  height: number;
}

/** Texts can be read from here on. */
export const READABLE = 0.65;
/** Below this, cards are drawn as plain boxes: nobody could read them. */
export const FAR = 0.5;
export const MAX_ZOOM = 1.6;

/** Made smaller than this a drawing is not the same to the eye. */
export const LITTLE = 0.8;

/** So many screens of scrolling are still easier to read than a drawing made small. */
const SCREENS = 3;

/**
 * The width to lay a graph out in. That of the screen, wherever the result is at most a few screens high; else the one
 * that makes it as square as the screen, so that seen from far all of it is as large as can be. `whole`: a lane that is but
 * a little too wide is not broken, all is made a little smaller.
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

/** What of a screen is not covered, at its right and at its top. */
export const free = (screen: Size, covered: number, above = 0): Size =>
  covered > 0 || above > 0 ? { width: screen.width - covered, height: screen.height - above } : screen;

/** The least zoom: all of it can be seen. */
export function leastZoom(layout: Layout, screen: Size): number {
  return Math.min(1, screen.width / layout.width, screen.height / (layout.height + FOOT));
}

/** All of it, no larger than life. `above`: so much of the screen's top is under something else. */
export function fitAll(layout: Layout, screen: Size, above = 0): View {
  return centred(layout, screen, leastZoom(layout, free(screen, 0, above)), above);
}

/**
 * What is seen first: never nothing. As wide as the screen where it can be read so, else at a size that can be read;
 * from the top, or with the card that matters in its middle.
 */
export function openingView(layout: Layout, screen: Size, matters?: string, covered = 0, above = 0): View {
  const zoom = Math.max(Math.min(1, screen.width / layout.width), READABLE);
  const view = centred(layout, screen, zoom, above);
  const box = matters === undefined ? undefined : layout.boxes.get(matters);
  return box ? reveal(view, box, layout, screen, covered, above) : view;
}

/**
 * The least change of a view that shows a rectangle with some air around it; along where it must move, it comes to the middle.
 * `covered` and `above`: so much of the screen's right and top is under something else; what is there comes out from under
 * it, and no further.
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

/** The view that a person left, of what may be another drawing or screen by now. */
export function again(view: View, layout: Layout, screen: Size, covered = 0, above = 0): View {
  return clamp(
    { ...view, zoom: Math.max(view.zoom, leastZoom(layout, free(screen, covered, above))) },
    layout,
    screen,
    covered,
    above,
  );
}

/** The same view of a drawing that an edit has changed: where all of its width was seen, it still is. */
export function afterEdit(view: View, before: Layout, now: Layout, screen: Size, above = 0): View {
  const wasWhole = before.width * view.zoom <= screen.width + 1;
  const zoom = wasWhole ? Math.min(view.zoom, Math.max(READABLE, screen.width / now.width)) : view.zoom;
  // Where something lay over its top until now, the room for that stays.
  return clamp({ ...view, zoom }, now, screen, 0, Math.max(above, view.y));
}

/** Keeps the drawing in the screen: no empty room beside it that could be filled. Its right and its top may come out from under what covers the screen. */
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

/** At the top, in the middle of the width where it is narrower, else from the left. */
function centred(layout: Layout, screen: Size, zoom: number, above: number): View {
  return clamp({ x: 0, y: above, zoom }, layout, screen, 0, above);
}

/** Where the view may go, as React Flow wants it: corners of a rectangle of the scene. */
export function bounds(layout: Layout, screen: Size, covered = 0, above = 0): [[number, number], [number, number]] {
  return [
    [0, above > 0 ? -above / READABLE : 0],
    [Math.max(layout.width, screen.width) + covered / READABLE, Math.max(layout.height + FOOT, screen.height)],
  ];
}

/** What of the scene can be seen. */
export function seen(view: View, screen: Size): Rect {
  return {
    x: -view.x / view.zoom,
    y: -view.y / view.zoom,
    width: screen.width / view.zoom,
    height: screen.height / view.zoom,
  };
}

/** A band of the scene, from side to side. */
export interface VisibleRange {
  top: number;
  bottom: number;
}

/** What can be seen is told in steps of so many scene pixels: what stands on it is not drawn anew with every move. */
const STEP = 256;
const AIR = STEP / 4;

/** From where to where the scene can be seen, and somewhat more. Both ends take their steps together. */
export function visibleRange(view: View, screen: Size): VisibleRange {
  const { y, height } = seen(view, screen);
  const top = Math.floor((y - AIR) / STEP) * STEP;
  return { top, bottom: top + (Math.ceil((height + 2 * AIR) / STEP) + 1) * STEP };
}
