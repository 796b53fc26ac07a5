import type { Layout } from '../types';
import type { TileNames } from './tileNames';
import { type OverviewScene, paintScene, sizeCanvas } from './paint';

/** The page's requests to the worker: first the layout, then scenes of it. */
export type PaintRequest = { layout: Layout; names?: TileNames } | { id: number; scene: OverviewScene };

/** The worker's answer to the request with the same id. */
export interface PaintReply {
  id: number;
  bitmap: ImageBitmap;
}

// A worker has no style sheets, so it takes the font of the pages by itself. Until then, names have another font.
const fonts = (globalThis as unknown as { fonts?: FontFaceSet }).fonts;
const file = new URL('../../ui/fonts/inter.woff2', import.meta.url).href;
if (fonts) {
  const font = new FontFace('Inter', `url(${file})`, { weight: '400 700' });
  fonts.add(font);
  font.load().catch(() => undefined);
}

let layout: Layout | undefined;
let names: TileNames | undefined;
let canvas: OffscreenCanvas | undefined;

addEventListener('message', ({ data }: MessageEvent<PaintRequest>) => {
  if ('layout' in data) {
    ({ layout, names } = data);
    return;
  }
  const { id, scene } = data;
  canvas = sizeCanvas(canvas ?? new OffscreenCanvas(1, 1), scene);
  const brush = canvas.getContext('2d');
  if (!brush || !layout) throw new Error('there is nothing to paint with'); // then the page paints
  paintScene(brush, layout, scene, names);
  const bitmap = canvas.transferToImageBitmap();
  postMessage({ id, bitmap } satisfies PaintReply, { transfer: [bitmap] });
});
