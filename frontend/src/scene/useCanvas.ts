import { type RefObject, useEffect } from 'react';
import type { Size } from './camera';
import { useDensity } from './density';
import type { Eye, Palette } from './paint';

type Context = CanvasRenderingContext2D;

/**
 * Keeps a canvas painted: at once, and again with each call of what `subscribe` gives it, at most once a frame. `paint`
 * must stay the same function as long as it paints the same.
 */
export function useCanvas(
  ref: RefObject<HTMLCanvasElement | null>,
  size: Size,
  paint: (context: Context, density: Eye['density'], palette: Palette) => void,
  subscribe: (again: () => void) => () => void,
): void {
  const density = useDensity();
  useEffect(() => {
    const canvas = ref.current;
    const context = canvas?.getContext('2d');
    if (!canvas || !context) return undefined;
    canvas.width = Math.round(size.width * density);
    canvas.height = Math.round(size.height * density);
    let frame = 0;
    let known = new Map<string, string>();
    const draw = () => {
      frame = 0;
      context.setTransform(1, 0, 0, 1, 0, 0);
      context.clearRect(0, 0, canvas.width, canvas.height);
      paint(context, density, (name) => {
        const colour = known.get(name) ?? getComputedStyle(canvas).getPropertyValue(`--${name}`).trim();
        known.set(name, colour);
        return colour;
      });
    };
    const again = () => {
      frame ||= requestAnimationFrame(draw);
    };
    const theme = new MutationObserver(() => {
      known = new Map();
      again();
    });
    theme.observe(document.documentElement, { attributes: true, attributeFilter: ['data-mantine-color-scheme'] });
    draw();
    const stop = subscribe(again);
    return () => {
      stop();
      theme.disconnect();
      cancelAnimationFrame(frame);
    };
  }, [ref, size, density, paint, subscribe]);
}
