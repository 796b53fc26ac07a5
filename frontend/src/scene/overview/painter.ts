import type { Layout } from '../types';
import { type OverviewScene, paintScene, sizeCanvas } from './paint';
import type { TileNames } from './tileNames';
import type { PaintReply, PaintRequest } from './paintWorker';

/** Paints scenes of one layout on canvas elements. */
export interface Painter {
  /** Paints a scene, shows it unless `unwanted` returns true by then, and calls `done`. */
  paint: (canvas: HTMLCanvasElement, scene: OverviewScene, done: () => void, unwanted?: () => boolean) => void;
  stop: () => void;
}

/**
 * Makes a painter that paints in a worker, since thousands of edges take longer than a frame. If the browser cannot
 * paint in workers, or the worker's code cannot be loaded, the page paints instead.
 */
export function newPainter(layout: Layout, names?: TileNames): Painter {
  if (typeof Worker === 'undefined' || typeof OffscreenCanvas === 'undefined') return newPagePainter(layout, names);
  const worker = new Worker(new URL('./paintWorker.ts', import.meta.url), { type: 'module' });
  const pending = new Map<number, { scene: OverviewScene; show: (bitmap: ImageBitmap) => void }>();
  let lastId = 0;
  let failed = false;
  const paintHere = (scene: OverviewScene) => {
    const canvas = sizeCanvas(new OffscreenCanvas(1, 1), scene);
    const brush = canvas.getContext('2d');
    if (brush) paintScene(brush, layout, scene, names);
    return canvas.transferToImageBitmap();
  };
  worker.onmessage = ({ data: { id, bitmap } }: MessageEvent<PaintReply>) => {
    pending.get(id)?.show(bitmap);
    pending.delete(id);
  };
  const paintOnPage = (event: Event) => {
    event.preventDefault();
    worker.terminate();
    failed = true;
    const unpainted = [...pending.values()];
    pending.clear();
    for (const { scene, show } of unpainted) show(paintHere(scene));
  };
  worker.onerror = paintOnPage;
  worker.onmessageerror = paintOnPage;
  worker.postMessage({ layout, names } satisfies PaintRequest);
  return {
    paint: (canvas, scene, done, unwanted) => {
      const show = (bitmap: ImageBitmap) => {
        if (unwanted?.()) bitmap.close();
        else canvas.getContext('bitmaprenderer')?.transferFromImageBitmap(bitmap);
        done();
      };
      if (failed) {
        show(paintHere(scene));
        return;
      }
      lastId++;
      pending.set(lastId, { scene, show });
      worker.postMessage({ id: lastId, scene } satisfies PaintRequest);
    },
    stop: () => {
      worker.terminate();
    },
  };
}

function newPagePainter(layout: Layout, names?: TileNames): Painter {
  return {
    paint: (canvas, scene, done) => {
      const brush = sizeCanvas(canvas, scene).getContext('2d');
      if (brush) paintScene(brush, layout, scene, names);
      done();
    },
    stop: () => undefined,
  };
}
