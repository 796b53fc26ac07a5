import { useStoreApi } from '@xyflow/react';
import { type RefObject, useCallback, useEffect, useLayoutEffect, useMemo, useRef } from 'react';
import { visibleRect, type Size, type View } from '../camera';
import { useSceneContext } from '../sceneStore';
import type { Layout } from '../types';
import styles from './MapView.module.css';
import { type Brush, type CanvasView, paintBoxes, type Palette } from './paint';
import { useDensity } from './useDensity';

/** The largest size of a map, in pixels. */
const LARGEST: Size = { width: 168, height: 120 };
/** The delay between a change of states and its painting, in milliseconds. */
const REPAINT_DELAY = 300;

/** The least size of a failed task on the map, in pixels. */
const LEAST_FAILED = 3;

interface Props {
  layout: Layout;
  size: Size;
  onMove: (view: View) => void;
}

/** A small map of a large graph, with the view and the states of all tasks. Dragging on it moves the view. */
export function MapView({ layout, size, onMove }: Props) {
  const { renderer } = useSceneContext();
  const flow = useStoreApi();
  const map = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const frame = useRef<HTMLElement>(null);
  const zoom = Math.min(LARGEST.width / layout.width, LARGEST.height / layout.height);
  const own = useMemo(() => ({ width: layout.width * zoom, height: layout.height * zoom }), [layout, zoom]);

  const paint = useCallback(
    (brush: Brush, density: number, palette: Palette) => {
      const canvasView = { view: { x: 0, y: 0, zoom }, density };
      paintBoxes(brush, layout.boxes.values(), renderer.stateOf, () => false, canvasView, palette, LEAST_FAILED);
    },
    [layout, zoom, renderer],
  );

  // Runs change often, but a few repaints a second are enough for a map.
  const subscribe = useCallback(
    (repaint: () => void) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const soon = () => {
        timer ??= setTimeout(() => {
          timer = undefined;
          repaint();
        }, REPAINT_DELAY);
      };
      const stop = renderer.subscribe(soon);
      return () => {
        clearTimeout(timer);
        stop();
      };
    },
    [renderer],
  );
  useCanvas(canvas, own, paint, subscribe);

  // The view is an element over the boxes, moved without React: the boxes are not painted again while it moves.
  useLayoutEffect(() => {
    const showView = () => {
      const [x, y, scale] = flow.getState().transform;
      const rect = visibleRect({ x, y, zoom: scale }, size);
      const [left, top] = [Math.max(0, rect.x * zoom), Math.max(0, rect.y * zoom)];
      const [right, bottom] = [
        Math.min(own.width, (rect.x + rect.width) * zoom),
        Math.min(own.height, (rect.y + rect.height) * zoom),
      ];
      const style = {
        transform: `translate(${left}px, ${top}px)`,
        width: `${Math.max(0, right - left)}px`,
        height: `${Math.max(0, bottom - top)}px`,
      };
      if (frame.current) Object.assign(frame.current.style, style);
    };
    showView();
    return flow.subscribe((now, before) => {
      if (now.transform !== before.transform) showView();
    });
  }, [flow, size, own, zoom]);

  useEffect(() => {
    const element = map.current;
    if (!element) return undefined;
    const move = (event: PointerEvent) => {
      if (event.buttons === 0) return;
      element.setPointerCapture(event.pointerId);
      const { left, top } = element.getBoundingClientRect();
      const scale = flow.getState().transform[2];
      onMove({
        zoom: scale,
        x: size.width / 2 - ((event.clientX - left) / zoom) * scale,
        y: size.height / 2 - ((event.clientY - top) / zoom) * scale,
      });
    };
    element.addEventListener('pointerdown', move);
    element.addEventListener('pointermove', move);
    return () => {
      element.removeEventListener('pointerdown', move);
      element.removeEventListener('pointermove', move);
    };
  }, [flow, size, zoom, onMove]);
  return (
    <div ref={map} data-map="" className={styles.map} style={own} aria-hidden="true">
      <canvas ref={canvas} style={own} />
      <i ref={frame} />
    </div>
  );
}

/**
 * Keeps a canvas painted: at once, and whenever `subscribe` calls its listener, at most once a frame. Pass another
 * `paint` only if it paints something else.
 */
function useCanvas(
  ref: RefObject<HTMLCanvasElement | null>,
  size: Size,
  paint: (context: CanvasRenderingContext2D, density: CanvasView['density'], palette: Palette) => void,
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
    let colours = new Map<string, string>();
    const draw = () => {
      frame = 0;
      context.setTransform(1, 0, 0, 1, 0, 0);
      context.clearRect(0, 0, canvas.width, canvas.height);
      paint(context, density, (name) => {
        const colour = colours.get(name) ?? getComputedStyle(canvas).getPropertyValue(`--${name}`).trim();
        colours.set(name, colour);
        return colour;
      });
    };
    const again = () => {
      frame ||= requestAnimationFrame(draw);
    };
    const theme = new MutationObserver(() => {
      colours = new Map();
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
