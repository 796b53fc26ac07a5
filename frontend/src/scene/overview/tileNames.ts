import { cutName } from '../jobs/shortNames';
import type { Box } from '../types';

/** Names of tiles by their keys. */
export type TileNames = ReadonlyMap<string, string>;

/** The part of a canvas context that paints names. */
export type NameBrush = Pick<
  CanvasRenderingContext2D,
  'fillText' | 'font' | 'textBaseline' | 'fillStyle' | 'globalAlpha'
>;

/** The size of the letters of a tile, and their average width, in pixels of the screen. */
const LETTER = { size: 11, width: 6.4, pad: 5 } as const;
/** The least height of a tile with a name, in pixels of the screen. */
const NAMED = 12;

const FONT =
  "Inter, system-ui, -apple-system, 'Segoe UI', 'PingFang SC', 'Microsoft YaHei', 'Noto Sans CJK SC', sans-serif";

/**
 * Writes the names of tiles, in letters of the same size at every zoom. `pixel` is the length of a pixel of the screen.
 * Names that do not fit are cut; tiles that are too low have none.
 */
export function paintNames(
  brush: NameBrush,
  boxes: Iterable<Box>,
  names: TileNames,
  pixel: number,
  styleOf: (key: string) => { colour: string; strength: number },
): void {
  brush.font = `500 ${LETTER.size * pixel}px ${FONT}`;
  brush.textBaseline = 'middle';
  for (const { key, x, y, width, height } of boxes) {
    if (height < NAMED * pixel) continue;
    const letters = Math.floor((width / pixel - 2 * LETTER.pad) / LETTER.width);
    const text = cutName(names.get(key) ?? '', letters);
    if (!text) continue;
    const { colour, strength } = styleOf(key);
    brush.fillStyle = colour;
    brush.globalAlpha = strength;
    brush.fillText(text, x + LETTER.pad * pixel, y + height / 2 + 0.5 * pixel);
  }
  brush.globalAlpha = 1;
}
