import { useStoreApi } from '@xyflow/react';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef } from 'react';
import { seen, type Size, type View } from './camera';
import styles from './MapView.module.css';
import { type Brush, paintBoxes, type Palette } from './paint';
import { useSurroundings } from './stage';
import type { Layout } from './types';
import { useCanvas } from './useCanvas';

const LARGEST: Size = { width: 168, height: 120 };

interface Props {
  layout: Layout;
  size: Size;
  onMove: (view: View) => void;
}

/** A small map of a large graph: what is seen, and what fails elsewhere. A pointer moves the view; keys need it not. */
export function MapView({ layout, size, onMove }: Props) {
  const { look } = useSurroundings();
  const flow = useStoreApi();
  const map = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const frame = useRef<HTMLElement>(null);
  const zoom = Math.min(LARGEST.width / layout.width, LARGEST.height / layout.height);
  const own = useMemo(() => ({ width: layout.width * zoom, height: layout.height * zoom }), [layout, zoom]);

  const paint = useCallback(
    (brush: Brush, density: number, palette: Palette) => {
      const eye = { view: { x: 0, y: 0, zoom }, density };
      paintBoxes(brush, layout.boxes.values(), look.stateOf, () => false, eye, palette);
    },
    [layout, zoom, look],
  );

  // Runs change often, and nobody looks that closely: a few times a second is enough.
  const subscribe = useCallback(
    (again: () => void) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const soon = () => {
        timer ??= setTimeout(() => {
          timer = undefined;
          again();
        }, 300);
      };
      const stop = look.subscribe(soon);
      return () => {
        clearTimeout(timer);
        stop();
      };
    },
    [look],
  );
  useCanvas(canvas, own, paint, subscribe);

  // What is seen is an element over the boxes, moved past React: they are not painted anew while the view moves.
  useLayoutEffect(() => {
    const tell = () => {
      const [x, y, scale] = flow.getState().transform;
      const rect = seen({ x, y, zoom: scale }, size);
      const [left, top] = [Math.max(0, rect.x * zoom), Math.max(0, rect.y * zoom)];
      const [right, bottom] = [
        Math.min(own.width, (rect.x + rect.width) * zoom),
        Math.min(own.height, (rect.y + rect.height) * zoom),
      ];
      const place = {
        transform: `translate(${left}px, ${top}px)`,
        width: `${Math.max(0, right - left)}px`,
        height: `${Math.max(0, bottom - top)}px`,
      };
      if (frame.current) Object.assign(frame.current.style, place);
    };
    tell();
    return flow.subscribe((now, before) => {
      if (now.transform !== before.transform) tell();
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
