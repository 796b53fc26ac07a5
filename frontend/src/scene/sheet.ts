import type { View } from './camera';
import type { Picture } from './far';
import type { Painter } from './painter';

/** So far around what can be seen a picture goes on, in pixels of the screen: while the view moves, it is moved. */
export const AROUND = 160;
/** Without a move for so long the view rests, in milliseconds. */
const REST = 120;

/** One canvas that shows a drawing from afar. */
export interface Sheet {
  /** What it shows has changed. */
  again: () => void;
  /** The view has moved. */
  move: () => void;
  stop: () => void;
}

/** Keeps one canvas painted: what it shows is moved with the view at once, and painted for the view where that is not enough, and at rest. */
export function newSheet(
  painter: Painter,
  canvas: HTMLCanvasElement,
  view: () => View,
  picture: () => Picture,
  done: () => void,
): Sheet {
  let shown: Picture | undefined;
  /** A picture was asked for, and is not there. */
  let busy = false;
  /** Something has changed since the last picture was asked for. */
  let stale = false;
  let stopped = false;
  let frame = 0;
  let rest: ReturnType<typeof setTimeout> | undefined;
  /** Where the picture stands, by its upper left corner, and how much larger than it was painted. */
  const stand = ({ eye: { view: was } }: Picture) => {
    const { x, y, zoom } = view();
    const scale = zoom / was.zoom;
    return { x: x - was.x * scale, y: y - was.y * scale, scale };
  };
  const move = () => {
    if (stopped) return;
    clearTimeout(rest);
    if (!shown) {
      again();
      return;
    }
    const { x, y, scale } = stand(shown);
    canvas.style.transform = `translate(${x}px, ${y}px) scale(${scale})`;
    const away = Math.max(Math.abs(x + AROUND), Math.abs(y + AROUND));
    if (away === 0 && scale === 1) return;
    if (scale === 1 && away < AROUND / 2) rest = setTimeout(again, REST);
    else again();
  };
  const work = () => {
    frame = 0;
    if (busy) return;
    busy = true;
    stale = false;
    const asked = picture();
    painter.paint(
      canvas,
      asked,
      () => {
        busy = false;
        if (stopped) return;
        shown = asked;
        canvas.style.width = `${asked.size.width}px`;
        canvas.style.height = `${asked.size.height}px`;
        done();
        move(); // the view may have gone on, or back to where the picture before this one was right
        if (stale) again();
      },
      () => stopped,
    );
  };
  const again = () => {
    stale = true;
    frame ||= requestAnimationFrame(work);
  };
  return {
    again,
    move,
    stop: () => {
      stopped = true;
      clearTimeout(rest);
      cancelAnimationFrame(frame);
    },
  };
}
