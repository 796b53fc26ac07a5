import { type KeyboardEvent, type PointerEvent, useState } from 'react';
import { type PageParts, useCommands } from '@/features/find';
import { type Cursor, type Mark, moveCursor } from './marks';
import { placeOf, type Scale } from './scale';

const KEYS: PageParts = { keySet: 'picture' };

/** The shortest drag in pixels. A shorter one is a click. */
const LEAST_DRAG = 6;

/** A selection of time, in pixels of the picture. */
export interface Drag {
  from: number;
  to: number;
}

/** A point of the picture. */
export interface Point {
  x: number;
  /** Whether a drag may begin here. */
  draggable: boolean;
  /** The mark at the point, if there is one. */
  at?: Cursor;
}

interface Options {
  marks: readonly (readonly Mark[])[];
  scale: Scale;
  cursor: Cursor | undefined;
  /** The place that the first key chooses. */
  start: Cursor;
  /** The point of the picture below a pointer. While the pointer is captured, the target of its events is the box. */
  pointOf: (event: PointerEvent) => Point;
  onCursor: (cursor: Cursor | undefined) => void;
  /** A key has moved the cursor. */
  onMove: (cursor: Cursor) => void;
  /** Opens what a mark stands for. */
  onChoose: (at: Cursor) => void;
  /** Shows the time between two places. */
  onZoom: (from: number, to: number) => void;
  /** Goes back to the usual view. */
  onBack: () => void;
}

/**
 * What pointer and keys do on a picture of marks: the pointer chooses the mark below it, a click or Enter opens it, a
 * drag or + and - change the window, and Escape or 0 go back. The handlers belong on the box of the picture.
 */
export function useMarkControls(options: Options) {
  const { marks, scale, cursor, start, pointOf, onCursor, onMove, onChoose, onZoom, onBack } = options;
  useCommands(KEYS);
  const [drag, setDrag] = useState<Drag>();
  const zoomBy = (factor: number) => {
    const mark = cursor && marks[cursor.row]?.[cursor.mark];
    const at = mark ? placeOf((mark.from + mark.to) / 2, scale) : scale.width / 2;
    const middle = Math.max(0, Math.min(scale.width, at));
    onZoom(middle - scale.width * factor, middle + scale.width * factor);
  };
  const handlers = {
    onKeyDown: (event: KeyboardEvent) => {
      if (event.target !== event.currentTarget) return;
      if (event.ctrlKey || event.metaKey || event.altKey) return; // keys of the browser, such as those of its zoom
      const next = moveCursor(event.key, cursor ?? start, marks);
      if (next) onMove(cursor ? next : start);
      else if (event.key === 'Enter' && cursor) onChoose(cursor);
      else if (event.key === '+') zoomBy(0.25);
      else if (event.key === '-') zoomBy(1);
      else if (event.key === 'Escape' || event.key === '0') onBack();
      else return;
      event.preventDefault();
    },
    onPointerDown: (event: PointerEvent) => {
      const { x, draggable } = pointOf(event);
      if (!draggable || event.button !== 0 || event.pointerType === 'touch') return;
      event.currentTarget.setPointerCapture(event.pointerId);
      setDrag({ from: x, to: x });
    },
    onPointerMove: (event: PointerEvent) => {
      const { x, at } = pointOf(event);
      onCursor(at);
      if (drag) setDrag({ ...drag, to: x });
    },
    onPointerUp: (event: PointerEvent) => {
      if (event.button !== 0) return;
      const { x, at } = pointOf(event);
      setDrag(undefined);
      if (drag && Math.abs(x - drag.from) >= LEAST_DRAG) onZoom(drag.from, x);
      else if (at) onChoose(at);
    },
    onPointerCancel: () => {
      setDrag(undefined);
    },
    onPointerLeave: () => {
      if (!drag) onCursor(undefined);
    },
  };
  return { drag, handlers };
}
