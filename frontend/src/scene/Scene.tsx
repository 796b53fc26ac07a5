import {
  type CSSProperties,
  lazy,
  type ReactNode,
  type RefObject,
  Suspense,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useTranslation } from 'react-i18next';
import type { TaskGraph } from '@/graph';
import { ONE_ROW_MIN_ZOOM, type Size, widthFor } from './camera';
import { cardWidths } from './cardWidths';
import { layoutGraph } from './layout';
import type { LayoutRequest } from './layoutWorker';
import type { SceneProps } from './sceneApi';
import { SceneContext } from './sceneStore';
import { measureName } from './textWidth';
import type { Layout } from './types';
import styles from './Scene.module.css';

// The largest part of the page, and not every view needs it: it is fetched while the data are fetched.
const graphCanvas = import('./GraphCanvas');
graphCanvas.catch(() => undefined); // a component that draws a graph gets the error from `lazy`
const GraphCanvas = lazy(() => graphCanvas.then(({ GraphCanvas: loaded }) => ({ default: loaded })));

/** The graph of a schedule, drawn by a page's renderer. It fills its parent, which must have a height. */
export function Scene(props: SceneProps) {
  const { graph, sceneStore, renderer, actions, empty, editing = false } = props;
  const { t } = useTranslation('scene');
  const element = useRef<HTMLDivElement>(null);
  const size = useSize(element);
  const cards = useMemo(() => cardWidths(graph, measureName()), [graph]);
  const width = useWidth(graph, size, editing, cards);
  const layout = useLayout(graph, width, editing, cards);
  const id = useId();
  const context = useMemo(() => ({ sceneStore, renderer, id, actions, t }), [sceneStore, renderer, id, actions, t]);
  const count = useMemo(() => countTasks(graph), [graph]);

  const working = (
    <p className={styles.note} role="status">
      {t('layingOut', { count })}
    </p>
  );
  let content: ReactNode = null;
  if (count === 0 && empty) content = <p className={styles.note}>{empty}</p>;
  else if (size && !layout && count <= AT_ONCE) content = working;
  else if (size) {
    content = (
      <SceneContext value={context}>
        <Suspense fallback={working}>
          <GraphCanvas {...props} layout={layout} size={size} working={working} />
        </Suspense>
      </SceneContext>
    );
  }
  return (
    <div
      ref={element}
      className={styles.scene}
      style={
        {
          '--covered-right': `${String(props.coveredRight ?? 0)}px`,
          '--covered-top': `${String(props.coveredTop ?? 0)}px`,
        } as CSSProperties
      }
    >
      {content}
    </div>
  );
}

const countTasks = (graph: TaskGraph): number => graph.jobs.reduce((sum, job) => sum + job.tasks.length, 0);

/** The last width of each graph that was edited: an undo brings it back. */
const widthsBefore = new WeakMap<TaskGraph, EditWidth>();

/** The width of a layout that is edited, and the width of the screen for which it was chosen. */
interface EditWidth {
  screen: number;
  width: number;
}

/**
 * The width of the layout. While editing, it follows the width of the screen and grows a little with the longest lane;
 * an edit never makes it smaller, only an undo does.
 */
function useWidth(
  graph: TaskGraph,
  size: Size | undefined,
  editing: boolean,
  cards: readonly number[],
): number | undefined {
  const fitting = useMemo(() => size && widthFor(graph, size, editing, cards), [graph, size, editing, cards]);
  const [current, setCurrent] = useState<EditWidth>();
  if (editing && size && fitting !== undefined) {
    const next = nextWidth(size.width, fitting, current, widthsBefore.get(graph));
    if (next) setCurrent(next);
  }
  useEffect(() => {
    if (editing && current) widthsBefore.set(graph, current);
  }, [editing, graph, current]);
  return editing ? current?.width : fitting;
}

/** The width that replaces the current one while editing; undefined if the current one stays. */
function nextWidth(screen: number, fitting: number, current?: EditWidth, before?: EditWidth): EditWidth | undefined {
  if (current && before?.screen === screen && before.width !== current.width) return before;
  const grown = current !== undefined && fitting > current.width && fitting * ONE_ROW_MIN_ZOOM <= screen;
  return current?.screen !== screen || grown ? { screen, width: fitting } : undefined;
}

/**
 * Graphs with up to this many tasks are laid out while rendering, so that the first paint has them. Larger graphs are
 * laid out in a worker.
 */
const AT_ONCE = 300;

interface FinishedLayout {
  graph: TaskGraph;
  width: number;
  layout: Layout;
}

/**
 * The last layout of each graph that was edited. After an undo, the same graph gets the same layout, so that the whole
 * picture is the one from before the step.
 */
const layoutsBefore = new WeakMap<TaskGraph, FinishedLayout>();

/**
 * The layout of a graph in a width; undefined while a large graph is laid out for the first time. If `incremental`,
 * each layout reuses the unchanged parts of the previous one, which is shown until the next one is ready.
 */
function useLayout(
  graph: TaskGraph,
  width: number | undefined,
  incremental: boolean,
  cards: readonly number[],
): Layout | undefined {
  const small = useMemo(() => countTasks(graph) <= AT_ONCE, [graph]);
  const [done, setDone] = useState<FinishedLayout>();
  const current = done?.graph === graph && done.width === width;
  if (width !== undefined && !current) {
    const known = incremental ? layoutsBefore.get(graph) : undefined;
    if (known?.width === width) setDone(known);
    else if (small)
      setDone({
        graph,
        width,
        layout: layoutGraph(graph, { width, cards, previous: incremental ? (known ?? done) : undefined }),
      });
  }
  useEffect(() => {
    if (incremental && done) layoutsBefore.set(done.graph, done);
  }, [incremental, done]);

  const previous = useMemo(
    () =>
      incremental && done
        ? { graph: done.graph, layout: { width: done.layout.width, boxes: done.layout.boxes } }
        : undefined,
    [incremental, done],
  );
  useEffect(() => {
    if (small || width === undefined || current) return undefined;
    const worker = new Worker(new URL('./layoutWorker.ts', import.meta.url), { type: 'module' });
    worker.onmessage = ({ data }: MessageEvent<Layout>) => {
      setDone({ graph, width, layout: data });
    };
    worker.postMessage({ graph, width, cards, previous } satisfies LayoutRequest);
    return () => {
      worker.terminate();
    };
  }, [small, graph, width, cards, previous, current]);

  // After a change of width, the old layout of the same graph is shown until the new one is ready.
  return done && (incremental || done.graph === graph) ? done.layout : undefined;
}

/** The size of an element, measured before the first paint; undefined while it has none. */
export function useSize(ref: RefObject<HTMLElement | null>): Size | undefined {
  const [size, setSize] = useState<Size>();
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return undefined;
    const read = () => {
      const { clientWidth: width, clientHeight: height } = element;
      if (width > 0 && height > 0)
        setSize((old) => (old?.width === width && old.height === height ? old : { width, height }));
    };
    read();
    const observer = new ResizeObserver(read);
    observer.observe(element);
    return () => {
      observer.disconnect();
    };
  }, [ref]);
  return size;
}
