import type { View } from '../camera';
import type { Painter } from './painter';
import type { OverviewScene } from './paint';

/** A picture extends this far beyond the visible part, because it is moved with the view; in pixels of the screen. */
export const MARGIN = 160;
/** The view rests when it has not moved for this long, in milliseconds. */
const REST = 120;

/** One canvas of the overview. */
export interface OverviewCanvas {
  /** Call when its content has changed. */
  repaint: () => void;
  /** Call when the view has moved. */
  move: () => void;
  stop: () => void;
}

/**
 * Keeps one canvas painted. Its picture moves with the view at once. It is painted again when the view zooms, has moved
 * too far, or rests. `done` is called whenever a new picture is shown.
 */
export function newOverviewCanvas(
  painter: Painter,
  canvas: HTMLCanvasElement,
  view: () => View,
  scene: () => OverviewScene,
  done: () => void,
): OverviewCanvas {
  let shown: OverviewScene | undefined;
  /** A picture was requested and has not arrived yet. */
  let busy = false;
  /** Something has changed since the last picture was requested. */
  let stale = false;
  let stopped = false;
  let frame = 0;
  let restTimer: ReturnType<typeof setTimeout> | undefined;
  /** The present position of the picture's upper left corner, and its scale since it was painted. */
  const transformOf = ({ canvasView: { view: paintedView } }: OverviewScene) => {
    const { x, y, zoom } = view();
    const scale = zoom / paintedView.zoom;
    return { x: x - paintedView.x * scale, y: y - paintedView.y * scale, scale };
  };
  const move = () => {
    if (stopped) return;
    clearTimeout(restTimer);
    if (!shown) {
      repaint();
      return;
    }
    const { x, y, scale } = transformOf(shown);
    canvas.style.transform = `translate(${x}px, ${y}px) scale(${scale})`;
    const away = Math.max(Math.abs(x + MARGIN), Math.abs(y + MARGIN));
    if (away === 0 && scale === 1) return;
    if (scale === 1 && away < MARGIN / 2) restTimer = setTimeout(repaint, REST);
    else repaint();
  };
  const paint = () => {
    frame = 0;
    if (busy) return;
    busy = true;
    stale = false;
    const requested = scene();
    painter.paint(
      canvas,
      requested,
      () => {
        busy = false;
        if (stopped) return;
        shown = requested;
        canvas.style.width = `${requested.size.width}px`;
        canvas.style.height = `${requested.size.height}px`;
        done();
        move(); // the view may have moved meanwhile
        if (stale) repaint();
      },
      () => stopped,
    );
  };
  const repaint = () => {
    stale = true;
    frame ||= requestAnimationFrame(paint);
  };
  return {
    repaint,
    move,
    stop: () => {
      stopped = true;
      clearTimeout(restTimer);
      cancelAnimationFrame(frame);
    },
  };
}
