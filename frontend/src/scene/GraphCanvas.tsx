import '@xyflow/react/dist/base.css';
import {
  ReactFlow,
  type ReactFlowProps,
  ReactFlowProvider,
  useReactFlow,
  useStore,
  ViewportPortal,
} from '@xyflow/react';
import { type ReactNode, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { byNumber, type TaskGraph } from '@/graph';
import { bounds, FAR, MAX_ZOOM, type Size } from './camera';
import { CardActions, Cards } from './Cards';
import { Controls } from './Controls';
import { FOOT } from './dimensions';
import styles from './GraphCanvas.module.css';
import {
  useActiveDescendant,
  useFocusElsewhere,
  useLitAttribute,
  useOpeningView,
  useShownTask,
  useTrailAfterEdit,
} from './graphCanvasEffects';
import { JobBars } from './jobs/JobBars';
import { MAX_JOBS_ZOOM } from './jobs/level';
import { LevelSwitch } from './jobs/LevelSwitch';
import { TileHeads } from './jobs/TileHeads';
import { type Level, useLevel } from './jobs/useLevel';
import { useLevelCamera } from './jobs/useLevelCamera';
import { LanesAndEdges } from './LanesAndEdges';
import { MapView } from './overview/MapView';
import { Overview } from './overview/Overview';
import { type SceneApi, SceneApiContext, type SceneProps } from './sceneApi';
import { useSceneContext, useSceneState } from './sceneStore';
import { MOST_TRAVELLING } from './travel';
import type { Layout } from './types';
import { type Camera, useCamera } from './useCamera';
import { useInteraction } from './useInteraction';
import { useVisibleWindow } from './visibleWindow';

type FlowOptions = Pick<ReactFlowProps, 'panActivationKeyCode' | 'panOnDrag'>;

/** A graph with at least this many tasks has a map. */
const MAPPED = 150;
/** While editing, the middle button or the space bar moves the view. */
const EDITING_OPTIONS: FlowOptions = { panActivationKeyCode: 'Space', panOnDrag: [1] };
const VIEWING_OPTIONS: FlowOptions = { panActivationKeyCode: null, panOnDrag: true };

/** Disables functions of React Flow. The scene has its own selection, keys and double click. */
const FLOW_OPTIONS = {
  elementsSelectable: false,
  disableKeyboardA11y: true,
  deleteKeyCode: null,
  selectionKeyCode: null,
  multiSelectionKeyCode: null,
  zoomOnDoubleClick: false,
  panOnScroll: true,
  proOptions: { hideAttribution: true },
} as const;

/** The props of a scene, with its layout and the size of its element in pixels. */
export interface GraphCanvasProps extends SceneProps {
  /** Undefined until it is ready. The level of jobs does not need it. */
  layout?: Layout;
  size: Size;
  /** Shown until the layout is ready. */
  working: ReactNode;
}

/** The props of a scene whose level has a layout. */
interface FlowSceneProps extends GraphCanvasProps {
  layout: Layout;
  level: Level;
}

/** The scene in React Flow. React Flow has only the view; everything else comes from the layout and the stores. */
export function GraphCanvas(props: GraphCanvasProps) {
  return (
    <ReactFlowProvider>
      <Levels {...props} />
    </ReactFlowProvider>
  );
}

/** The scene at its level. */
function Levels(props: GraphCanvasProps) {
  const level = useLevel(props);
  return level.layout ? <FlowScene {...props} layout={level.layout} level={level} /> : props.working;
}

function FlowScene(props: FlowSceneProps) {
  const { graph, layout, size, level, editing = false } = props;
  const { sceneStore, id } = useSceneContext();
  const root = useRef<HTMLDivElement>(null);
  const { opening, camera, limits } = useView(props);
  const [redundant, setRedundant] = useState(false);
  const far = useStore((s) => s.transform[2] < FAR);
  // Cards stay until the overview that replaces them is painted.
  const [painted, setPainted] = useState(false);
  if (painted && !far) setPainted(false);

  useFocusElsewhere(root, sceneStore);
  useActiveDescendant(root, sceneStore, id);
  useTrailAfterEdit(sceneStore, graph, editing);
  useLitAttribute(root, sceneStore);
  const { goTo, peek, events } = useInteraction(props, { root, camera, far, level });
  const api = useApi(props, { root, camera, redundant, goTo });
  return (
    <SceneApiContext value={api}>
      {far && (
        <Overview
          graph={graph}
          layout={layout}
          size={size}
          onPainted={() => {
            setPainted(true);
          }}
        />
      )}
      <ReactFlow
        {...FLOW_OPTIONS}
        {...events}
        ref={root}
        className={styles.flow}
        data-editing={editing || undefined}
        width={size.width}
        height={size.height}
        defaultViewport={opening}
        {...limits}
        {...(editing ? EDITING_OPTIONS : VIEWING_OPTIONS)}
        tabIndex={0}
        aria-label={props.label}
        aria-describedby={`${id}-help`}
      >
        {!(far && painted) && (
          <ViewportPortal>
            <MountedScene
              graph={graph}
              layout={layout}
              size={size}
              redundant={redundant}
              editing={editing}
              level={level}
              root={root}
            />
          </ViewportPortal>
        )}
        <ViewportPortal>
          <CardActions layout={layout} />
        </ViewportPortal>
      </ReactFlow>
      <p id={`${id}-help`} className="hg-visually-hidden">
        <Help level={level} help={props.help} />
      </p>
      {far && <TileHeads graph={graph} layout={layout} />}
      {(far || level.jobs) && <HoveredName graph={graph} />}
      {props.children}
      <LargeGraphMap layout={layout} size={size} least={level.zooms.all} onMove={camera.goTo} />
      <Controls
        graph={graph}
        onFit={camera.fit}
        onZoom={camera.zoomBy}
        onFind={(key) => {
          root.current?.focus({ preventScroll: true });
          goTo(key);
        }}
        onHit={peek}
        redundant={graph.redundant.size > 0 ? redundant : undefined}
        onRedundant={setRedundant}
        tools={props.tools}
        levels={<LevelSwitch level={level} camera={camera} />}
      />
    </SceneApiContext>
  );
}

/** The first view, the camera that moves it, and the limits of the view. */
function useView(props: FlowSceneProps) {
  const { layout, size, level, selected, reveal, savedView, editing = false } = props;
  const { coveredRight = 0, coveredTop = 0 } = props;
  const { renderer } = useSceneContext();
  const focusKey = () => reveal ?? selected ?? renderer.firstTask();
  const options = { layout, size, coveredRight, coveredTop, editing, savedView, focusKey, level };
  const { opening, camera: plain } = useCamera(options);
  const camera = useLevelCamera(plain, level, coveredTop);
  useOpeningView(opening);
  useShownTask(camera, selected, reveal, savedView);
  const minZoom = level.jobs ? 1 : level.zooms.least;
  const fits = level.jobs ? layout.height + FOOT <= size.height : minZoom >= 1;
  const limits = {
    minZoom,
    maxZoom: level.jobs ? MAX_JOBS_ZOOM : MAX_ZOOM,
    translateExtent: bounds(layout, size, coveredRight, coveredTop),
    preventScrolling: editing || !fits,
    'data-fits': (fits && coveredTop === 0) || undefined,
  };
  return { opening, camera, limits };
}

interface MapProps {
  layout: Layout;
  size: Size;
  /** The least zoom: the whole drawing is visible. */
  least: number;
  onMove: Camera['goTo'];
}

/** The map, if the graph is large and only a part of it is visible. */
function LargeGraphMap({ layout, size, least, onMove }: MapProps) {
  const allVisible = useStore((s) => s.transform[2] <= least * 1.01);
  return layout.boxes.size >= MAPPED && !layout.bars && !allVisible ? (
    <MapView layout={layout} size={size} onMove={onMove} />
  ) : null;
}

interface ApiParts {
  root: RefObject<HTMLDivElement | null>;
  camera: Camera;
  redundant: boolean;
  goTo: (key: string | undefined) => void;
}

/** The API for the parts of the page over the scene. */
function useApi({ graph, layout, size }: FlowSceneProps, { root, camera, redundant, goTo }: ApiParts): SceneApi {
  const flow = useReactFlow();
  return {
    graph,
    layout,
    size,
    root,
    redundant,
    goTo,
    toScene: (client) => flow.screenToFlowPosition(client),
    toWindow: (rect) => {
      const zoom = flow.getZoom();
      return { ...flow.flowToScreenPosition(rect), width: rect.width * zoom, height: rect.height * zoom };
    },
    view: flow.getViewport,
    panBy: camera.panBy,
    show: camera.show,
    fit: camera.fit,
    Portal: ViewportPortal,
  };
}

/** Lanes, edges and cards at a readable zoom. Only this component renders while the view moves. */
function MountedScene({
  size,
  redundant,
  editing,
  level,
  root,
  ...drawn
}: {
  graph: TaskGraph;
  layout: Layout;
  size: Size;
  redundant: boolean;
  editing: boolean;
  level: Level;
  root: RefObject<HTMLElement | null>;
}) {
  const { layout } = drawn;
  const cards = useMemo(() => (layout.bars ? withoutTiles(layout) : layout), [layout]);
  const { range, mounted } = useVisibleWindow(cards, size);
  const lively = mounted.cards.size <= MOST_TRAVELLING;
  useEffect(() => {
    root.current?.toggleAttribute('data-lively', lively);
  }, [root, lively]);
  return (
    <>
      {drawn.layout.bars ? (
        <JobBars {...drawn} range={range} editing={editing} onToggle={level.toggle} onPoint={level.point} />
      ) : (
        <LanesAndEdges {...drawn} range={range} redundant={redundant} travels={editing && lively} />
      )}
      <Cards {...drawn} mounted={mounted} />
    </>
  );
}

/** A layout with only the boxes that are cards. */
const withoutTiles = (layout: Layout): Layout => ({
  ...layout,
  boxes: new Map([...layout.boxes].filter(([, box]) => !box.tile)),
});

/** The instructions of the level. */
function Help({ level, help }: { level: Level; help: string }) {
  const { t } = useTranslation('zoom');
  return level.jobs ? t('help') : help;
}

/** Where cards are not drawn, the name and the second line of the task under the pointer. */
function HoveredName({ graph }: { graph: TaskGraph }) {
  const key = useSceneState((s) => s.hovered);
  const {
    renderer: { Line },
  } = useSceneContext();
  if (key === undefined) return null;
  const g = byNumber(graph);
  const task = g.tasks[g.byKey.get(key) ?? -1];
  return (
    <p className={styles.hovered} aria-hidden="true">
      <bdi>{task?.title ?? key}</bdi>
      {task && Line && (
        <small>
          <Line key={key} task={task} />
        </small>
      )}
    </p>
  );
}
