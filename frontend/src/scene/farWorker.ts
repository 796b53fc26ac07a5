import { fit, paintPicture, type Picture } from './far';
import type { Layout } from './types';

/** What the page asks of the worker: first the drawing, then pictures of it. It answers each picture by a bitmap. */
export type PaintRequest = { layout: Layout } | { id: number; picture: Picture };
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
  const { id, picture } = data;
  canvas = fit(canvas ?? new OffscreenCanvas(1, 1), picture);
  const brush = canvas.getContext('2d');
  if (!brush || !layout) throw new Error('there is nothing to paint with'); // the page paints then
  paintPicture(brush, layout, picture);
  const bitmap = canvas.transferToImageBitmap();
  postMessage({ id, bitmap } satisfies PaintReply, { transfer: [bitmap] });
});
