import {
  type CSSProperties,
  lazy,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  Suspense,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useTranslation } from 'react-i18next';
import type { TaskGraph } from '@/graph';
import { LITTLE, type Size, type View, widthFor } from './camera';
import styles from './SceneView.module.css';
import { type Look, SceneContext, type StageStore } from './stage';
import type { Layout } from './types';
import { useLayout } from './useLayout';
import { useSize } from './useSize';
import type { Step } from './walk';

// The largest part of the page, and not of its every view: it is fetched beside the data.
const flow = import('./Flow');
flow.catch(() => undefined); // who draws a graph is told of it
const Flow = lazy(() => flow.then(({ Flow: loaded }) => ({ default: loaded })));

export interface SceneProps {
  graph: TaskGraph;
  look: Look;
  stage: StageStore;
  /** Key of the task that is brought into sight when it becomes selected. */
  selected?: string;
  onSelect: (key: string | undefined) => void;
  /** A task was opened: by Enter or a double click, which select it too. */
  onOpen?: (key: string) => void;
  /** Key of a task to bring into sight; each new value moves the view. */
  reveal?: string;
  /** Has where a person left the view; the page keeps it while the scene is not there. */
  place?: RefObject<View | undefined>;
  /** So many pixels at its right are under something that the page shows over it. Nothing moves for that but what must be seen. */
  covered?: number;
  /** The same at its top. */
  above?: number;
  /** What can be done with the task that is selected, or that the keyboard is on: shown at its card. It stays the same function. */
  actions?: (key: string) => ReactNode;
  /** Its name and how it is used, for those who hear it. */
  label: string;
  help: string;
  /** More buttons among those over the graph. */
  tools?: ReactNode;
  /** Instead of the graph while it has no tasks. */
  empty?: ReactNode;
  /**
   * The page edits: an edit moves no more than it must. Clicks are the page's own, and the left button does not move the
   * view.
   */
  editing?: boolean;
  /** Takes a key before the scene does; answers whether it did. */
  onKey?: (event: KeyboardEvent) => boolean;
  /** Where a key goes that goes from card to card; the scene's own way if left out. */
  onStep?: (graph: TaskGraph, layout: Layout, from: string | undefined, to: Step) => string | undefined;
  /** Stands over the graph; `useInside` answers it. */
  children?: ReactNode;
}

/** The graph of a schedule with what a page lays over it. It fills its parent, which must have a height. */
export function Scene(props: SceneProps) {
  const { graph, stage, look, actions, empty, editing = false } = props;
  const { t } = useTranslation('scene');
  const element = useRef<HTMLDivElement>(null);
  const size = useSize(element);
  const width = useWidth(graph, size, editing);
  const layout = useLayout(graph, width, editing);
  const id = useId();
  const surroundings = useMemo(() => ({ stage, look, id, actions, t }), [stage, look, id, actions, t]);
  const count = useMemo(() => graph.jobs.reduce((sum, job) => sum + job.tasks.length, 0), [graph]);

  const working = (
    <p className={styles.note} role="status">
      {t('layingOut', { count })}
    </p>
  );
  let content: ReactNode = null;
  if (count === 0 && empty) content = <p className={styles.note}>{empty}</p>;
  else if (size && !layout) content = working;
  else if (size && layout) {
    content = (
      <SceneContext value={surroundings}>
        <Suspense fallback={working}>
          <Flow {...props} layout={layout} size={size} />
        </Suspense>
      </SceneContext>
    );
  }
  return (
    <div
      ref={element}
      className={styles.scene}
      style={
        { '--covered': `${String(props.covered ?? 0)}px`, '--above': `${String(props.above ?? 0)}px` } as CSSProperties
      }
    >
      {content}
    </div>
  );
}

/** The width to lay out in. While one edits it follows the place, and grows a little with the longest lane; no edit makes it smaller. */
function useWidth(graph: TaskGraph, size: Size | undefined, editing: boolean): number | undefined {
  const fitting = useMemo(() => size && widthFor(graph, size, editing), [graph, size, editing]);
  const [kept, setKept] = useState<{ place: number; width: number }>();
  const grown =
    size !== undefined &&
    fitting !== undefined &&
    kept !== undefined &&
    fitting > kept.width &&
    fitting * LITTLE <= size.width;
  if (editing && size && fitting !== undefined && (kept?.place !== size.width || grown))
    setKept({ place: size.width, width: fitting });
  return editing ? kept?.width : fitting;
}
