import { memo, useEffect, useMemo, useRef } from 'react';
import type { TaskGraph } from '@/graph';
import type { VisibleRange } from '../camera';
import { FULL, paintBoxes } from '../overview/paint';
import { paintNames } from '../overview/tileNames';
import { useDensity } from '../overview/useDensity';
import { useSceneContext } from '../sceneStore';
import type { Box, Layout } from '../types';
import styles from './JobBars.module.css';
import { shortNames } from './shortNames';

/** States change often, but a few pictures a second are enough for tiles. */
const DELAY = 200;
const FRAME = 2;

interface Props {
  graph: TaskGraph;
  layout: Layout;
  /** Only tiles in this range are painted. */
  range: VisibleRange;
}

/** The tiles of the open job: its quiet tasks. They are painted, because there may be thousands. */
export const OpenTiles = memo(function OpenTiles({ graph, layout, range }: Props) {
  const tiles = useMemo(() => [...layout.boxes.values()].filter((box) => box.tile), [layout]);
  // Tiles are in rows, from the top: those in the range follow one another. They are painted again only if they change.
  const from = tiles.findIndex(({ y, height }) => y + height >= range.top);
  const to = tiles.findLastIndex(({ y }) => y <= range.bottom);
  const shown = useMemo(() => (from < 0 ? [] : tiles.slice(from, to + 1)), [tiles, from, to]);
  return shown.length === 0 ? null : <Painted graph={graph} width={layout.width} boxes={shown} />;
});

function Painted({ graph, width, boxes }: { graph: TaskGraph; width: number; boxes: readonly Box[] }) {
  const { renderer, sceneStore } = useSceneContext();
  const canvas = useRef<HTMLCanvasElement>(null);
  // To read a colour makes the browser compute styles, for which a frame has no time: each is read once.
  const colours = useRef(new Map<string, string>());
  const density = useDensity();
  const names = useMemo(() => shortNames(graph), [graph]);
  const top = (boxes[0]?.y ?? 0) - 2 * FRAME;
  const last = boxes.at(-1);
  const height = (last?.y ?? 0) + (last?.height ?? 0) + 2 * FRAME - top;
  useEffect(() => {
    const element = canvas.current;
    const brush = element?.getContext('2d');
    if (!element || !brush) return undefined;
    const paint = () => {
      element.width = Math.round(width * density);
      element.height = Math.round(height * density);
      const palette = (name: string) => {
        const colour = colours.current.get(name) ?? getComputedStyle(element).getPropertyValue(`--${name}`).trim();
        colours.current.set(name, colour);
        return colour;
      };
      const { selected, active, focused } = sceneStore.getState();
      const canvasView = { view: { x: 0, y: -top, zoom: 1 }, density };
      paintBoxes(brush, boxes, renderer.stateOf, () => false, canvasView, palette);
      paintNames(brush, boxes, names, 1, (key) => ({
        colour: palette(FULL.has(renderer.stateOf(key)) ? 'surface' : 'ink'),
        strength: 1,
      }));
      brush.strokeStyle = palette('focus');
      brush.lineWidth = FRAME;
      for (const box of boxes)
        if (selected.has(box.key) || (focused && active === box.key))
          brush.strokeRect(box.x - 1, box.y - 1, box.width + 2, box.height + 2);
    };
    let timer: ReturnType<typeof setTimeout> | undefined;
    let frame = 0;
    const soon = () => {
      frame ||= requestAnimationFrame(() => {
        frame = 0;
        paint();
      });
    };
    const later = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        soon(); // a hidden page has no frames, and paints nothing
      }, DELAY);
    };
    const theme = new MutationObserver(() => {
      colours.current.clear();
      soon();
    });
    theme.observe(document.documentElement, { attributes: true, attributeFilter: ['data-mantine-color-scheme'] });
    paint();
    const stops = [
      renderer.subscribe(later),
      sceneStore.subscribe((now, before) => {
        if (now.selected !== before.selected || now.active !== before.active || now.focused !== before.focused) soon();
      }),
    ];
    return () => {
      clearTimeout(timer);
      cancelAnimationFrame(frame);
      theme.disconnect();
      for (const stop of stops) stop();
    };
  }, [boxes, width, height, top, density, names, renderer, sceneStore]);
  return (
    <canvas ref={canvas} className={styles.tiles} style={{ top, width, height }} aria-hidden="true" data-tiles="" />
  );
}
