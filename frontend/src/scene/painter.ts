import { fit, paintPicture, type Picture } from './far';
import type { PaintReply, PaintRequest } from './farWorker';
import type { Layout } from './types';

/** Paints pictures of one drawing on canvas elements. */
export interface Painter {
  /** Paints, and calls `done` in the moment in which the canvas shows it; a picture that is not wanted any more is not shown. */
  paint: (canvas: HTMLCanvasElement, picture: Picture, done: () => void, unwanted?: () => boolean) => void;
  stop: () => void;
}

/**
 * Thousands of edges take longer than a frame: a worker paints them beside the page, where the browser can do that. When
 * its code cannot be had, the page paints what was asked of it, and all that follows.
 */
export function newPainter(layout: Layout): Painter {
  if (typeof Worker === 'undefined' || typeof OffscreenCanvas === 'undefined') return onPage(layout);
  const worker = new Worker(new URL('./farWorker.ts', import.meta.url), { type: 'module' });
  const asked = new Map<number, { picture: Picture; take: (bitmap: ImageBitmap) => void }>();
  let id = 0;
  let alone = false;
  const paintHere = (picture: Picture) => {
    const canvas = fit(new OffscreenCanvas(1, 1), picture);
    const brush = canvas.getContext('2d');
    if (brush) paintPicture(brush, layout, picture);
    return canvas.transferToImageBitmap();
  };
  worker.onmessage = ({ data: { id: of, bitmap } }: MessageEvent<PaintReply>) => {
    asked.get(of)?.take(bitmap);
    asked.delete(of);
  };
  const goOnAlone = (event: Event) => {
    event.preventDefault();
    worker.terminate();
    alone = true;
    const left = [...asked.values()];
    asked.clear();
    left.forEach(({ picture, take }) => {
      take(paintHere(picture));
    });
  };
  worker.onerror = goOnAlone;
  worker.onmessageerror = goOnAlone;
  worker.postMessage({ layout } satisfies PaintRequest);
  return {
    paint: (canvas, picture, done, unwanted) => {
      const take = (bitmap: ImageBitmap) => {
        if (unwanted?.()) bitmap.close();
        else canvas.getContext('bitmaprenderer')?.transferFromImageBitmap(bitmap);
        done();
      };
      if (alone) {
        take(paintHere(picture));
        return;
      }
      id++;
      asked.set(id, { picture, take });
      worker.postMessage({ id, picture } satisfies PaintRequest);
    },
    stop: () => {
      worker.terminate();
    },
  };
}

function onPage(layout: Layout): Painter {
  return {
    paint: (canvas, picture, done) => {
      const brush = fit(canvas, picture).getContext('2d');
      if (brush) paintPicture(brush, layout, picture);
      done();
    },
    stop: () => undefined,
  };
}
