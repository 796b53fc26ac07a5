import type { Layout } from '../types';
import { type OverviewScene, paintScene, sizeCanvas } from './paint';

/** The page's requests to the worker: first the layout, then scenes of it. */
export type PaintRequest = { layout: Layout } | { id: number; scene: OverviewScene };

/** The worker's answer to the request with the same id. */
export interface PaintReply {
  id: number;
  bitmap: ImageBitmap;
}

let layout: Layout | undefined;
let canvas: OffscreenCanvas | undefined;

addEventListener('message', ({ data }: MessageEvent<PaintRequest>) => {
  if ('layout' in data) {
    layout = data.layout;
    return;
  }
  const { id, scene } = data;
  canvas = sizeCanvas(canvas ?? new OffscreenCanvas(1, 1), scene);
  const brush = canvas.getContext('2d');
  if (!brush || !layout) throw new Error('there is nothing to paint with'); // then the page paints
  paintScene(brush, layout, scene);
  const bitmap = canvas.transferToImageBitmap();
  postMessage({ id, bitmap } satisfies PaintReply, { transfer: [bitmap] });
});
