import { VisuallyHidden, useComputedColorScheme } from '@mantine/core';
import {
  type KeyboardEvent,
  type PointerEvent,
  useCallback,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type Ref,
} from 'react';
import { useTranslation } from 'react-i18next';
import { serverNow, useTook } from '@/ui';
import { type Colours, readColours } from './cells';
import { datesOf } from './dates';
import { type Grid, type Line, type Stats, statsOf } from './grid';
import { moveOf } from './keys';
import { hit, type Layout, layoutOf, scrollTo, sizeOf, type Window } from './layout';
import { markArea, type Marks, type Place, isMarked, NO_MARKS, toggle } from './marks';
import { paint, type Picture } from './paint';
import { useCursor } from './useCursor';
import { useLongestName } from './useLongestName';
import { useDescribe } from './words';
import styles from './Runs.module.css';

/** What the page may ask of the grid. */
export interface GridHandle {
  focus: () => void;
}

interface Props {
  ref?: Ref<GridHandle>;
  label: string;
  grid: Grid;
  lines: readonly Line[];
  zone?: string;
  /** The usual duration of a batch in milliseconds. */
  usual?: number;
  nameOf: (line: Line) => string;
  marks: Marks;
  onMarks: (marks: Marks) => void;
  /** The place whose details are open. */
  chosen?: Place;
  /** Shows the details of a place. */
  onChoose: (place: Place) => void;
  onToggleJob: (job: string) => void;
  /** Opens the page of a batch, with the task of a line if there is one. */
  onOpen: (x: number, line?: Line) => void;
}

/** What is under the pointer, its point, and the size of the window. */
interface Hover extends Partial<Place> {
  px: number;
  py: number;
  width: number;
  height: number;
}

const NO_WINDOW: Window = { width: 0, height: 0, left: 0, top: 0 };

/**
 * The grid as a picture of what is visible. For assistive technology it is a grid with one cell, the current one, which
 * the arrow keys move.
 */
export function GridCanvas(props: Props) {
  const { ref, label, grid, lines, zone, marks, chosen, nameOf } = props;
  const { t } = useTranslation('runs');
  const scroller = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(() => window.innerWidth);
  const longest = useLongestName(lines, nameOf);
  const columns = grid.batches.length;
  const layout = useMemo(() => layoutOf(width, columns, longest), [width, columns, longest]);
  const [hover, setHover] = useState<Hover>();
  const [cursor, setCursor] = useCursor(grid, lines, chosen);
  const [focused, setFocused] = useState(false);
  const view = useRef<Window>(NO_WINDOW);
  const anchor = useRef<{ from: Place; before: Marks }>(undefined);
  const current = focused ? cursor : chosen;
  const draw = useDraw(props, { canvas, view, layout, hover, chosen: current });
  const size = sizeOf(layout, grid, lines);
  useWindow(scroller, view, setWidth, draw);
  useNewestFirst(scroller, grid, size.width);
  useImperativeHandle(ref, () => ({
    focus: () => {
      scroller.current?.focus({ preventScroll: true });
    },
  }));
  const move = (place: Place) => {
    setCursor(place);
    scroller.current?.scrollTo(scrollTo(layout, grid, view.current, place));
  };
  const pointer = usePointer(props, layout, view, scroller, setHover, setCursor);
  const describe = useDescribe(zone);
  const line = lines[cursor.y];
  const hovered = hover?.y === undefined || hover.x === undefined ? undefined : lines[hover.y];
  return (
    <div className={styles.frame}>
      <div
        ref={scroller}
        role="grid"
        tabIndex={0}
        aria-label={label}
        aria-describedby="runs-keys"
        aria-multiselectable
        aria-rowcount={lines.length}
        aria-colcount={grid.batches.length + 1}
        aria-activedescendant={line && `run-${String(cursor.x)}-${String(cursor.y)}`}
        className={styles.scroller}
        onKeyDown={(event) => {
          onKey(event, props, { cursor, move, layout, view: view.current, anchor });
        }}
        onFocus={() => {
          setFocused(true);
        }}
        onBlur={() => {
          setFocused(false);
        }}
        {...pointer}
      >
        <div style={size}>
          <canvas ref={canvas} className={styles.canvas} aria-hidden="true" />
        </div>
        {line && (
          <VisuallyHidden>
            <div role="row" aria-rowindex={cursor.y + 1}>
              <span role="rowheader" aria-colindex={1}>
                {nameOf(line)}
              </span>
              <span
                key={`${String(cursor.x)}-${String(cursor.y)}`}
                id={`run-${String(cursor.x)}-${String(cursor.y)}`}
                role="gridcell"
                aria-colindex={cursor.x + 2}
                aria-selected={isMarked(marks, grid, lines, cursor)}
                aria-expanded={line.kind === 'job' ? line.open : undefined}
              >
                {`${nameOf(line)} · ${describe(grid, line, cursor.x)}`}
              </span>
            </div>
          </VisuallyHidden>
        )}
      </div>
      <VisuallyHidden id="runs-keys">{t('keys')}</VisuallyHidden>
      {hovered && hover?.x !== undefined && (
        <p className={styles.tip} style={tipAt(hover)} data-testid="runs-tip">
          <b>{nameOf(hovered)}</b> · {describe(grid, hovered, hover.x)}
        </p>
      )}
    </div>
  );
}

/** Where the sentence about a place stands: below the pointer, or above it in the lower half. */
function tipAt({ px, py, width, height }: Hover) {
  const below = py < height / 2;
  const atRight = px > width / 2;
  return {
    top: below ? py + 18 : undefined,
    bottom: below ? undefined : height - py + 14,
    left: atRight ? undefined : Math.max(4, px - 20),
    right: atRight ? Math.max(4, width - px - 20) : undefined,
  };
}

interface Drawing {
  canvas: React.RefObject<HTMLCanvasElement | null>;
  view: React.RefObject<Window>;
  layout: Layout;
  hover?: Partial<Place>;
  chosen?: Place;
}

/** Draws after each change. The result draws again at the next frame, for scrolling. */
function useDraw({ grid, lines, zone, usual, marks, nameOf }: Props, drawing: Drawing): () => void {
  const { canvas, view, layout, hover, chosen } = drawing;
  const { t, i18n } = useTranslation('runs');
  const took = useTook();
  const scheme = useComputedColorScheme();
  const colours = useRef<{ scheme: string; value: Colours }>(undefined);
  const cache = useRef(new WeakMap<object, Stats>());
  const now = useRef<() => void>(undefined);
  const frame = useRef(0);
  const dates = useMemo(() => datesOf(grid.batches, zone, i18n.language), [grid.batches, zone, i18n.language]);
  useLayoutEffect(() => {
    const percent = new Intl.NumberFormat(i18n.language, { style: 'percent', maximumFractionDigits: 1 });
    const stats = (line: Line) => {
      const key = line.kind === 'job' ? line : line.row;
      let known = cache.current.get(key);
      if (!known) cache.current.set(key, (known = statsOf(line)));
      return known;
    };
    const texts: Picture['texts'] = {
      name: nameOf,
      tasks: (count) => t('tasks', { count }),
      all: t('all', { count: grid.rows.length, jobs: t('jobs', { count: new Set(grid.rows.map((r) => r.job)).size }) }),
      usual: usual === undefined ? '' : t('usually', { time: took(usual) }),
      heads: [t('head.rate'), t('head.usual'), t('head.trend')],
      percent: (share) => percent.format(share),
      took,
    };
    now.current = () => {
      const c = canvas.current?.getContext('2d');
      if (!canvas.current || !c || view.current.width === 0) return;
      if (colours.current?.scheme !== scheme) colours.current = { scheme, value: readColours(canvas.current) };
      fitCanvas(canvas.current, view.current);
      const picture: Picture = {
        grid,
        lines,
        layout,
        view: view.current,
        colours: colours.current.value,
        dates,
        marks,
        hover,
        chosen,
        usual,
        now: serverNow(),
        texts,
      };
      paint(c, picture, stats);
    };
    now.current();
  });
  useEffect(
    () => () => {
      cancelAnimationFrame(frame.current);
    },
    [],
  );
  return useCallback(() => {
    cancelAnimationFrame(frame.current);
    frame.current = requestAnimationFrame(() => now.current?.());
  }, []);
}

/** Gives the canvas the size of the window, in the pixels of the screen. */
function fitCanvas(canvas: HTMLCanvasElement, { width, height }: Window): void {
  const ratio = window.devicePixelRatio || 1;
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
    canvas.style.width = `${String(width)}px`;
    canvas.style.height = `${String(height)}px`;
  }
  canvas.getContext('2d')?.setTransform(ratio, 0, 0, ratio, 0, 0);
}

function noteWindow(view: React.RefObject<Window>, element: Element): void {
  view.current = {
    width: element.clientWidth,
    height: element.clientHeight,
    left: element.scrollLeft,
    top: element.scrollTop,
  };
}

function scrollToEnd({ current }: React.RefObject<HTMLDivElement | null>): void {
  if (current) current.scrollLeft = current.scrollWidth;
}

/** Follows the size and the scroll position of the window. */
function useWindow(
  scroller: React.RefObject<HTMLDivElement | null>,
  view: React.RefObject<Window>,
  setWidth: (width: number) => void,
  draw: () => void,
): void {
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return undefined;
    const read = () => {
      noteWindow(view, element);
      draw();
    };
    const observer = new ResizeObserver(() => {
      setWidth(element.clientWidth);
      read();
    });
    observer.observe(element);
    element.addEventListener('scroll', read, { passive: true });
    read();
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', read);
    };
  }, [scroller, view, setWidth, draw]);
}

/** Scrolls to the newest batch when the grid opens, and when a new batch arrives while the newest one is visible. */
function useNewestFirst(scroller: React.RefObject<HTMLDivElement | null>, grid: Grid, width: number): void {
  const newest = grid.batches.at(-1)?.id;
  const atEnd = useRef(true);
  useEffect(() => {
    const element = scroller.current;
    if (!element) return undefined;
    const note = () => {
      atEnd.current = element.scrollLeft + element.clientWidth >= element.scrollWidth - 4;
    };
    element.addEventListener('scroll', note, { passive: true });
    return () => {
      element.removeEventListener('scroll', note);
    };
  }, [scroller]);
  useLayoutEffect(() => {
    if (atEnd.current) scrollToEnd(scroller);
  }, [scroller, newest, width]);
}

interface KeyState {
  cursor: Place;
  move: (place: Place) => void;
  layout: Layout;
  view: Window;
  /** Where the marking by Shift and arrow keys began, and the marks before it. */
  anchor: React.RefObject<{ from: Place; before: Marks } | undefined>;
}

/** Handles a key: the arrows move, with Shift they mark, Space marks, Enter opens. */
function onKey(event: KeyboardEvent, props: Props, { cursor, move, layout, view, anchor }: KeyState): void {
  const { grid, lines, marks, onMarks, onToggleJob, onOpen, onChoose, chosen } = props;
  const line = lines[cursor.y];
  const page = Math.max(1, Math.floor((view.height - layout.head) / layout.line) - 1);
  const next = moveOf(event, cursor, { x: grid.batches.length - 1, y: lines.length - 1 }, page);
  if (next) {
    anchor.current = event.shiftKey ? (anchor.current ?? { from: cursor, before: marks }) : undefined;
    if (anchor.current) onMarks(markArea(anchor.current.before, grid, lines, anchor.current.from, next));
    move(next);
    if (chosen) onChoose(next);
  } else if (event.key === ' ') onMarks(toggle(marks, grid, lines, cursor));
  else if (event.key === 'Enter') {
    if (line?.kind === 'job') onToggleJob(line.job);
    else onOpen(cursor.x, line);
  } else if (event.key === 'Escape' && marks.size > 0) onMarks(NO_MARKS);
  else return;
  event.preventDefault();
}

/** Handles the pointer: a click chooses, with Shift a drag marks an area, with Ctrl a click marks one cell. */
function usePointer(
  props: Props,
  layout: Layout,
  view: React.RefObject<Window>,
  scroller: React.RefObject<HTMLDivElement | null>,
  setHover: (hover?: Hover) => void,
  setCursor: (place: Place) => void,
) {
  const { grid, lines, marks, onMarks, onChoose, onToggleJob, onOpen } = props;
  const drag = useRef<{ from: Place; before: Marks }>(undefined);
  const at = (event: { clientX: number; clientY: number }) => {
    const box = scroller.current?.getBoundingClientRect();
    const [px, py] = [event.clientX - (box?.left ?? 0), event.clientY - (box?.top ?? 0)];
    const { width, height } = view.current;
    return { px, py, width, height, ...hit(layout, grid, lines, view.current, px, py) };
  };
  const isPlace = (place: Partial<Place>): place is Place => place.x !== undefined && place.y !== undefined;
  return {
    onPointerDown: (event: PointerEvent) => {
      const place = at(event);
      if (!event.shiftKey || !isPlace(place) || event.button !== 0) return;
      event.preventDefault();
      scroller.current?.focus({ preventScroll: true });
      event.currentTarget.setPointerCapture(event.pointerId);
      drag.current = { from: place, before: marks };
      onMarks(markArea(marks, grid, lines, place, place));
    },
    onPointerMove: (event: PointerEvent) => {
      const place = at(event);
      const { current } = drag;
      if (event.pointerType === 'mouse') setHover(current ? undefined : place);
      if (current && isPlace(place)) onMarks(markArea(current.before, grid, lines, current.from, place));
    },
    onPointerUp: (event: PointerEvent) => {
      if (drag.current) event.currentTarget.releasePointerCapture(event.pointerId);
    },
    onPointerCancel: () => {
      drag.current = undefined;
    },
    onPointerLeave: () => {
      setHover(undefined);
    },
    onClick: (event: React.MouseEvent) => {
      if (drag.current) {
        drag.current = undefined;
        return;
      }
      const place = at(event);
      const line = place.y === undefined ? undefined : lines[place.y];
      if (isPlace(place)) {
        setCursor({ x: place.x, y: place.y });
        if (event.ctrlKey || event.metaKey) onMarks(toggle(marks, grid, lines, place));
        else onChoose({ x: place.x, y: place.y });
      } else if (line?.kind === 'job' && place.px < layout.names) onToggleJob(line.job);
      else if (place.x !== undefined) onOpen(place.x);
    },
  };
}
