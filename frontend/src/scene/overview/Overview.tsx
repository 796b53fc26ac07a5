import { useStoreApi } from '@xyflow/react';
import { useEffect, useLayoutEffect, useRef } from 'react';
import type { TaskGraph } from '@/graph';
import type { Size, View } from '../camera';
import { shortNames } from '../jobs/shortNames';
import { litTrail, type SceneRenderer, type SceneStore, useSceneContext } from '../sceneStore';
import type { Layout } from '../types';
import { MARGIN, newOverviewCanvas } from './overviewCanvas';
import styles from './Overview.module.css';
import { newPainter, type Painter } from './painter';
import type { OverviewScene } from './paint';
import { useDensity } from './useDensity';

const COLOURS = ['lane', 'line', 'line-strong', 'surface', 'ink', 'ink-2', 'focus', 'failed'];
const NONE: ReadonlySet<string> = new Set();

interface Props {
  graph: TaskGraph;
  layout: Layout;
  size: Size;
  /** Called when both canvases have been painted for the first time. */
  onPainted: () => void;
}

/**
 * The graph at a small zoom, painted on two canvas elements: cards would be unreadable, and thousands of elements would
 * be too slow. The lower canvas has lanes and quiet edges. The upper one has the parts that change with states, pointer
 * and keyboard.
 */
export function Overview({ graph, layout, size, onPainted }: Props) {
  const { renderer, sceneStore } = useSceneContext();
  const flow = useStoreApi();
  const lower = useRef<HTMLCanvasElement>(null);
  const upper = useRef<HTMLCanvasElement>(null);
  const painted = useRef(onPainted);
  useLayoutEffect(() => {
    painted.current = onPainted;
  });

  // A change of size does not start the overview again, so that each canvas still requests one picture at a time.
  const density = useDensity();
  const screen = useRef({ size, density });
  const repaint = useRef<() => void>(undefined);
  useLayoutEffect(() => {
    screen.current = { size, density };
    repaint.current?.();
  }, [size, density]);

  const painter = useRef<Painter>(undefined);
  useEffect(() => {
    const own = newPainter(layout, shortNames(graph));
    painter.current = own;
    return () => {
      own.stop();
    };
  }, [graph, layout]);

  useEffect(() => {
    if (!lower.current || !upper.current || !painter.current) return undefined;
    const running = startOverview({
      canvases: [lower.current, upper.current],
      painter: painter.current,
      layout,
      renderer,
      sceneStore,
      flow,
      screen: () => screen.current,
      onPainted: () => {
        painted.current();
      },
    });
    repaint.current = running.repaint;
    return () => {
      repaint.current = undefined;
      running.stop();
    };
  }, [graph, layout, renderer, sceneStore, flow]);

  return (
    <div className={styles.overview} data-overview="" aria-hidden="true">
      <canvas ref={lower} className={styles.canvas} />
      <canvas ref={upper} className={styles.canvas} />
    </div>
  );
}

interface Parts {
  /** The lower canvas and the upper one. */
  canvases: readonly [HTMLCanvasElement, HTMLCanvasElement];
  painter: Painter;
  layout: Layout;
  renderer: SceneRenderer;
  sceneStore: SceneStore;
  flow: ReturnType<typeof useStoreApi>;
  screen: () => { size: Size; density: number };
  onPainted: () => void;
}

/** Keeps both canvases painted, without React: the view changes in each frame. */
function startOverview({ canvases, painter, layout, renderer, sceneStore, flow, screen, onPainted }: Parts) {
  const [lower, upper] = canvases;
  const palette = newPalette(lower);
  const view = (): View => {
    const [x, y, zoom] = flow.getState().transform;
    return { x, y, zoom };
  };
  const scene = (colours: readonly string[]): OverviewScene => {
    const { x, y, zoom } = view();
    const { size, density } = screen();
    return {
      canvasView: { view: { x: x + MARGIN, y: y + MARGIN, zoom }, density },
      size: { width: size.width + 2 * MARGIN, height: size.height + 2 * MARGIN },
      colours: palette.of(colours),
      removedEdges: renderer.removedEdges ?? NONE,
    };
  };
  const liveScene = (): OverviewScene => {
    const { states, indexes } = statesOf(layout, renderer);
    const { selected } = sceneStore.getState();
    return {
      ...scene([...COLOURS, ...states]),
      live: {
        states,
        stateIndexes: indexes,
        trail: litTrail(sceneStore.getState()),
        failureEdges: renderer.failureEdges(),
        selected: [...selected],
      },
    };
  };
  const toPaint = new Set<HTMLCanvasElement>(canvases);
  const done = (canvas: HTMLCanvasElement) => () => {
    if (toPaint.delete(canvas) && toPaint.size === 0) onPainted();
  };
  const lowerCanvas = newOverviewCanvas(painter, lower, view, () => scene(COLOURS), done(lower));
  const upperCanvas = newOverviewCanvas(painter, upper, view, liveScene, done(upper));
  const repaint = () => {
    lowerCanvas.repaint();
    upperCanvas.repaint();
  };
  const theme = new MutationObserver(() => {
    palette.forget();
    repaint();
  });
  theme.observe(document.documentElement, { attributes: true, attributeFilter: ['data-mantine-color-scheme'] });
  const unsubscribe = [
    flow.subscribe((now, before) => {
      if (now.transform === before.transform) return;
      lowerCanvas.move();
      upperCanvas.move();
    }),
    renderer.subscribe(upperCanvas.repaint),
    sceneStore.subscribe(upperCanvas.repaint),
  ];
  repaint();
  return {
    repaint,
    stop: () => {
      for (const stop of unsubscribe) stop();
      theme.disconnect();
      lowerCanvas.stop();
      upperCanvas.stop();
    },
  };
}

/** The different states, and for each box, in the order of the layout, the index of its state. */
function statesOf(layout: Layout, { stateOf }: SceneRenderer): { states: string[]; indexes: Uint8Array } {
  const states = ['none'];
  const indexes = Uint8Array.from(layout.boxes.keys(), (key) => {
    const state = stateOf(key);
    const index = states.indexOf(state);
    return index >= 0 ? index : states.push(state) - 1;
  });
  return { states, indexes };
}

/** The colours of an element by the names of their tokens. Each is read once. */
function newPalette(element: HTMLElement) {
  const colours = new Map<string, string>();
  return {
    of: (names: readonly string[]) =>
      Object.fromEntries(
        names.map((name) => {
          const colour = colours.get(name) ?? getComputedStyle(element).getPropertyValue(`--${name}`).trim();
          colours.set(name, colour);
          return [name, colour];
        }),
      ),
    /** After a change of the theme. */
    forget: () => {
      colours.clear();
    },
  };
}
