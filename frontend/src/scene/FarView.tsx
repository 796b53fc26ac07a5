import { useStoreApi } from '@xyflow/react';
import { useEffect, useLayoutEffect, useRef } from 'react';
import type { Size, View } from './camera';
import type { Picture } from './far';
import styles from './FarView.module.css';
import { newPainter, type Painter } from './painter';
import { litTrail, useSurroundings } from './stage';
import type { Layout } from './types';

/** So far around what can be seen a picture goes on, in pixels of the screen: while the view moves, it is moved. */
const AROUND = 160;
/** Without a move for so long the view rests, in milliseconds. */
const REST = 120;
const COLOURS = ['lane', 'line', 'line-strong', 'surface', 'ink-2', 'focus', 'failed'];
const NONE: ReadonlySet<string> = new Set();

interface Props {
  layout: Layout;
  size: Size;
  /** All of it is painted. */
  onPainted: () => void;
}

/** The whole from far away, on canvas elements: nobody could read cards, and a page cannot hold thousands of them. */
export function FarView({ layout, size, onPainted }: Props) {
  const { look, stage } = useSurroundings();
  const flow = useStoreApi();
  const ground = useRef<HTMLCanvasElement>(null);
  const cards = useRef<HTMLCanvasElement>(null);
  const painted = useRef(onPainted);
  useLayoutEffect(() => { painted.current = onPainted; });

  const painter = useRef<Painter>(undefined);
  useEffect(() => {
    const own = newPainter(layout);
    painter.current = own;
    return () => { own.stop(); };
  }, [layout]);

  useEffect(() => {
    const [below, above] = [ground.current, cards.current];
    if (!below || !above || !painter.current) return undefined;
    const palette = newPalette(below);
    const view = (): View => {
      const [x, y, zoom] = flow.getState().transform;
      return { x, y, zoom };
    };
    const picture = (names: readonly string[]) => {
      const { x, y, zoom } = view();
      return {
        eye: { view: { x: x + AROUND, y: y + AROUND, zoom }, density: window.devicePixelRatio || 1 },
        size: { width: size.width + 2 * AROUND, height: size.height + 2 * AROUND }, colours: palette.of(names), gone: look.gone ?? NONE,
      };
    };
    const toPaint = new Set([below, above]);
    const done = (canvas: HTMLCanvasElement) => () => { if (toPaint.delete(canvas) && toPaint.size === 0) painted.current(); };
    const sheets = [
      newSheet(painter.current, below, view, () => picture(COLOURS), done(below)),
      newSheet(painter.current, above, view, () => {
        const states = ['none'];
        const of = Uint8Array.from(layout.boxes.keys(), (key) => {
          const state = look.stateOf(key);
          const known = states.indexOf(state);
          return known >= 0 ? known : states.push(state) - 1;
        });
        const { selected } = stage.getState();
        return { ...picture([...COLOURS, ...states]), live: { states, of, trail: litTrail(stage.getState()), hot: look.hot(), selected: [...selected] } };
      }, done(above)),
    ];
    const again = () => { sheets[1]?.again(); };
    const all = () => { sheets.forEach((sheet) => { sheet.again(); }); };
    const theme = new MutationObserver(() => {
      palette.forget();
      all();
    });
    theme.observe(document.documentElement, { attributes: true, attributeFilter: ['data-mantine-color-scheme'] });
    const stops = [
      flow.subscribe((now, before) => { if (now.transform !== before.transform) sheets.forEach((sheet) => { sheet.move(); }); }),
      look.subscribe(again), stage.subscribe(again),
    ];
    all();
    return () => {
      stops.forEach((stop) => { stop(); });
      theme.disconnect();
      sheets.forEach((sheet) => { sheet.stop(); });
    };
  }, [layout, size, look, stage, flow]);

  return (
    <div className={styles.far} data-far="" aria-hidden="true">
      <canvas ref={ground} className={styles.canvas} />
      <canvas ref={cards} className={styles.canvas} />
    </div>
  );
}

/** Keeps one canvas painted: what it shows is moved with the view at once, and painted for the view where that is not enough, and at rest. */
function newSheet(painter: Painter, canvas: HTMLCanvasElement, view: () => View, picture: () => Picture, done: () => void) {
  let shown: Picture | undefined;
  let [busy, stale, stopped] = [false, false, false];
  let frame = 0;
  let rest: ReturnType<typeof setTimeout> | undefined;
  /** Where the picture stands, by its upper left corner, and how much larger than it was painted. */
  const stand = ({ eye: { view: was } }: Picture) => {
    const { x, y, zoom } = view();
    const scale = zoom / was.zoom;
    return { x: x - was.x * scale, y: y - was.y * scale, scale };
  };
  const place = () => {
    if (!shown) return;
    const { x, y, scale } = stand(shown);
    canvas.style.transform = `translate(${x}px, ${y}px) scale(${scale})`;
  };
  const work = () => {
    frame = 0;
    if (busy) return;
    busy = true;
    stale = false;
    const asked = picture();
    painter.paint(canvas, asked, () => {
      if (stopped) return;
      shown = asked;
      busy = false;
      canvas.style.width = `${asked.size.width}px`;
      canvas.style.height = `${asked.size.height}px`;
      place();
      done();
      if (stale) again();
    });
  };
  const again = () => {
    stale = true;
    frame ||= requestAnimationFrame(work);
  };
  return {
    again,
    move: () => {
      place();
      clearTimeout(rest);
      const { x, y, scale } = shown ? stand(shown) : { x: NaN, y: NaN, scale: NaN };
      const away = Math.max(Math.abs(x + AROUND), Math.abs(y + AROUND));
      if (away === 0 && scale === 1) return;
      if (scale === 1 && away < AROUND / 2) rest = setTimeout(again, REST);
      else again();
    },
    stop: () => {
      stopped = true;
      clearTimeout(rest);
      cancelAnimationFrame(frame);
    },
  };
}

/** Colours by the names of their tokens, as an element has them; each is looked up once. */
function newPalette(element: HTMLElement) {
  const known = new Map<string, string>();
  return {
    of: (names: readonly string[]) => Object.fromEntries(names.map((name) => {
      const colour = known.get(name) ?? getComputedStyle(element).getPropertyValue(`--${name}`).trim();
      known.set(name, colour);
      return [name, colour];
    })),
    forget: () => { known.clear(); },
  };
}
