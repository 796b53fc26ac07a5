import { paintPicture, type Picture } from './far';
import type { PaintReply, PaintRequest } from './farWorker';
import type { Layout } from './types';

/** Paints pictures of one drawing on canvas elements. */
export interface Painter {
  /** Paints, and calls `done` in the moment in which the canvas shows it. */
  paint: (canvas: HTMLCanvasElement, picture: Picture, done: () => void) => void;
  stop: () => void;
}

/** Thousands of wires take longer than a frame: a worker paints them beside the page, where the browser can do that. */
export function newPainter(layout: Layout): Painter {
  if (typeof Worker === 'undefined' || typeof OffscreenCanvas === 'undefined') return onPage(layout);
  const worker = new Worker(new URL('./farWorker.ts', import.meta.url), { type: 'module' });
  const asked = new Map<number, (bitmap: ImageBitmap) => void>();
  let id = 0;
  worker.onmessage = ({ data }: MessageEvent<PaintReply>) => {
    asked.get(data.id)?.(data.bitmap);
    asked.delete(data.id);
  };
  worker.postMessage({ layout } satisfies PaintRequest);
  return {
    paint: (canvas, picture, done) => {
      id++;
      asked.set(id, (bitmap) => {
        canvas.getContext('bitmaprenderer')?.transferFromImageBitmap(bitmap);
        done();
      });
      worker.postMessage({ id, picture } satisfies PaintRequest);
    },
    stop: () => { worker.terminate(); },
  };
}

function onPage(layout: Layout): Painter {
  return {
    paint: (canvas, picture, done) => {
      canvas.width = Math.round(picture.size.width * picture.eye.density);
      canvas.height = Math.round(picture.size.height * picture.eye.density);
      const brush = canvas.getContext('2d');
      if (brush) paintPicture(brush, layout, picture);
      done();
    },
    stop: () => undefined,
  };
}
