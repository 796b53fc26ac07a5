import { useStoreApi } from '@xyflow/react';
import { useEffect, useLayoutEffect, useRef } from 'react';
import type { Size, View } from './camera';
import { useDensity } from './density';
import styles from './FarView.module.css';
import { newPainter, type Painter } from './painter';
import { AROUND, newSheet } from './sheet';
import { litTrail, useSurroundings } from './stage';
import type { Layout } from './types';

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
  useLayoutEffect(() => {
    painted.current = onPainted;
  });

  // The sheets stay while a window is resized: each asks for one picture at a time.
  const density = useDensity();
  const room = useRef({ size, density });
  const repaint = useRef<() => void>(undefined);
  useLayoutEffect(() => {
    room.current = { size, density };
    repaint.current?.();
  }, [size, density]);

  const painter = useRef<Painter>(undefined);
  useEffect(() => {
    const own = newPainter(layout);
    painter.current = own;
    return () => {
      own.stop();
    };
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
      const {
        size: { width, height },
        density,
      } = room.current;
      return {
        eye: { view: { x: x + AROUND, y: y + AROUND, zoom }, density },
        size: { width: width + 2 * AROUND, height: height + 2 * AROUND },
        colours: palette.of(names),
        gone: look.gone ?? NONE,
      };
    };
    const toPaint = new Set([below, above]);
    const done = (canvas: HTMLCanvasElement) => () => {
      if (toPaint.delete(canvas) && toPaint.size === 0) painted.current();
    };
    const sheets = [
      newSheet(painter.current, below, view, () => picture(COLOURS), done(below)),
      newSheet(
        painter.current,
        above,
        view,
        () => {
          const states = ['none'];
          const of = Uint8Array.from(layout.boxes.keys(), (key) => {
            const state = look.stateOf(key);
            const known = states.indexOf(state);
            return known >= 0 ? known : states.push(state) - 1;
          });
          const { selected } = stage.getState();
          return {
            ...picture([...COLOURS, ...states]),
            live: { states, of, trail: litTrail(stage.getState()), hot: look.hot(), selected: [...selected] },
          };
        },
        done(above),
      ),
    ];
    const again = () => {
      sheets[1]?.again();
    };
    const all = () => {
      sheets.forEach((sheet) => {
        sheet.again();
      });
    };
    const theme = new MutationObserver(() => {
      palette.forget();
      all();
    });
    theme.observe(document.documentElement, { attributes: true, attributeFilter: ['data-mantine-color-scheme'] });
    const stops = [
      flow.subscribe((now, before) => {
        if (now.transform !== before.transform)
          sheets.forEach((sheet) => {
            sheet.move();
          });
      }),
      look.subscribe(again),
      stage.subscribe(again),
    ];
    repaint.current = all;
    all();
    return () => {
      repaint.current = undefined;
      stops.forEach((stop) => {
        stop();
      });
      theme.disconnect();
      sheets.forEach((sheet) => {
        sheet.stop();
      });
    };
  }, [layout, look, stage, flow]);

  return (
    <div className={styles.far} data-far="" aria-hidden="true">
      <canvas ref={ground} className={styles.canvas} />
      <canvas ref={cards} className={styles.canvas} />
    </div>
  );
}

/** Colours by the names of their tokens, as an element has them; each is looked up once. */
function newPalette(element: HTMLElement) {
  const known = new Map<string, string>();
  return {
    of: (names: readonly string[]) =>
      Object.fromEntries(
        names.map((name) => {
          const colour = known.get(name) ?? getComputedStyle(element).getPropertyValue(`--${name}`).trim();
          known.set(name, colour);
          return [name, colour];
        }),
      ),
    forget: () => {
      known.clear();
    },
  };
}
