import '@xyflow/react/dist/base.css';
import { ReactFlow, ReactFlowProvider, useReactFlow, useStore, useStoreApi, ViewportPortal } from '@xyflow/react';
import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { byNumber, type TaskGraph, trailOf } from '@/graph';
import { bounds, FAR, free, leastZoom, MAX_ZOOM, type Size } from './camera';
import { CardActions, inActions, staysBy } from './CardActions';
import { cardOf, Cards } from './Cards';
import { Controls } from './Controls';
import { FarView } from './FarView';
import styles from './Flow.module.css';
import { Ground } from './Ground';
import { type Inside, InsideContext } from './inside';
import { MapView } from './MapView';
import type { SceneProps } from './Scene';
import { jobOfMark, litTrail, useStage, useSurroundings } from './stage';
import type { Layout } from './types';
import { useCamera } from './useCamera';
import { useNamed } from './useNamed';
import { useScreen } from './useScreen';
import { useSight } from './useSight';
import { hit, type Step, step } from './walk';

/** From so many tasks on a map helps. */
const MAPPED = 150;
/** The middle button. */
const MIDDLE = [1];

interface Props extends SceneProps {
  layout: Layout;
  size: Size;
}

/** The scene as React Flow shows it: a projection. It holds the view, everything else comes from layout and stores. */
export function Flow(props: Props) {
  return (
    <ReactFlowProvider>
      <Projection {...props} />
    </ReactFlowProvider>
  );
}

function Projection({
  graph,
  look,
  selected,
  onSelect,
  onOpen,
  reveal,
  label,
  help,
  tools,
  editing = false,
  covered = 0,
  above = 0,
  place,
  onKey,
  onStep = step,
  children,
  layout,
  size,
}: Props) {
  const { stage, id } = useSurroundings();
  const flow = useReactFlow();
  const root = useRef<HTMLDivElement>(null);
  const { opening, camera } = useCamera(
    layout,
    size,
    covered,
    above,
    () => reveal ?? selected ?? look.first(),
    editing,
    place,
  );
  const [redundant, setRedundant] = useState(false);
  const far = useStore((s) => s.transform[2] < FAR);
  // From afar cards stay until what is seen instead of them is painted.
  const [painted, setPainted] = useState(false);
  if (painted && !far) setPainted(false);
  const least = leastZoom(layout, free(size, covered, above));
  const whole = useStore((s) => s.transform[2] <= least * 1.01);
  const fits = least >= 1;

  // React Flow would set its first view after the first paint.
  const inner = useStoreApi();
  useLayoutEffect(() => {
    inner.setState({ transform: [opening.x, opening.y, opening.zoom] });
  }, [inner, opening]);
  useEffect(() => {
    if (selected !== undefined) camera.show(selected);
  }, [camera, selected]);
  // Each new value moves the view, once: the camera is another whenever a drawer comes, goes or is made wider.
  const [known] = useState(() => (place?.current ? reveal : undefined));
  const revealed = useRef(known);
  useEffect(() => {
    if (reveal !== undefined && reveal !== revealed.current) camera.show(reveal);
    revealed.current = reveal;
  }, [camera, reveal]);

  // When the focus comes back somewhere else from the actions at a card, the keyboard is not on that card any more.
  useEffect(() => {
    const note = ({ target }: FocusEvent) => {
      if (!stage.getState().focused || staysBy(target as Element | null) || root.current?.contains(target as Node))
        return;
      stage.setState({ focused: false, trail: undefined });
    };
    document.addEventListener('focusin', note);
    return () => {
      document.removeEventListener('focusin', note);
    };
  }, [stage]);

  const light = (key: string | undefined) => {
    stage.setState({ trail: key === undefined || jobOfMark(key) !== undefined ? undefined : trailOf(graph, key) });
  };
  useNamed(root, stage, id);
  // What hangs together may be another after an edit.
  useEffect(() => {
    const { trail, active: at, focused, hovered } = stage.getState();
    const key = focused ? at : hovered;
    if (trail && editing)
      stage.setState({ trail: key === undefined || jobOfMark(key) !== undefined ? undefined : trailOf(graph, key) });
  }, [stage, graph, editing]);
  // Written past React: it changes with every card that the pointer comes over.
  useLayoutEffect(() => {
    const tell = () => {
      root.current?.toggleAttribute('data-lit', litTrail(stage.getState()) !== undefined);
    };
    tell();
    return stage.subscribe(tell);
  }, [stage]);
  // While the view moves, cards pass below a pointer that rests: only the one at its end is meant.
  const pointer = useRef<{ over?: string; moving?: boolean }>({});
  useScreen(root, () => pointer.current.moving === true);
  const over = (key: string | undefined) => {
    if (far || pointer.current.over === key) return;
    pointer.current.over = key;
    if (!pointer.current.moving) light(key);
  };
  const goTo = (key: string | undefined) => {
    if (key === undefined) return;
    stage.setState({ active: key, focused: true });
    light(key);
    camera.show(key, 'once');
  };
  const choose = (key: string) => {
    stage.setState({ active: key });
    root.current?.focus({ preventScroll: true });
    onSelect(key);
  };
  const under = (event: { clientX: number; clientY: number }) =>
    hit(layout, flow.screenToFlowPosition({ x: event.clientX, y: event.clientY }))?.key;
  const inside: Inside = {
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

  const keyDown = (event: KeyboardEvent) => {
    if (inActions(event.target)) {
      // Out of the actions at a card, not of a menu over them.
      if (event.key !== 'Escape' || event.defaultPrevented || !root.current?.contains(event.target as Node)) return;
      event.stopPropagation();
      root.current.focus({ preventScroll: true });
      return;
    }
    const to = stepFor(event);
    const key = stage.getState().active;
    if (onKey?.(event)) {
      /* the page took it */
    } else if (to) goTo(onStep(graph, layout, key ?? selected, to));
    else if (editing && event.key === 'f' && !event.ctrlKey && !event.metaKey && !event.altKey) camera.fit();
    else if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey && key !== undefined) {
      onSelect(key);
      onOpen?.(key);
    } else if (event.key === 'Escape' && selected !== undefined) onSelect(undefined);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <InsideContext value={inside}>
      {far && (
        <FarView
          layout={layout}
          size={size}
          onPainted={() => {
            setPainted(true);
          }}
        />
      )}
      <ReactFlow
        ref={root}
        className={styles.flow}
        data-fits={(fits && above === 0) || undefined}
        data-editing={editing || undefined}
        width={size.width}
        height={size.height}
        defaultViewport={opening}
        minZoom={least}
        maxZoom={MAX_ZOOM}
        translateExtent={bounds(layout, size, covered, above)}
        elementsSelectable={false}
        disableKeyboardA11y
        deleteKeyCode={null}
        selectionKeyCode={null}
        multiSelectionKeyCode={null}
        panActivationKeyCode={editing ? 'Space' : null}
        panOnDrag={editing ? MIDDLE : true}
        zoomOnDoubleClick={false}
        panOnScroll
        preventScrolling={editing || !fits}
        proOptions={{ hideAttribution: true }}
        onMoveStart={(event) => {
          if (!event) return;
          pointer.current.moving = true;
          camera.noteHand();
        }}
        onMoveEnd={(event) => {
          if (!pointer.current.moving) return;
          pointer.current.moving = false;
          if (far) return;
          // The browser tells of what came to a pointer that rests only when it moves again.
          if (event instanceof WheelEvent) pointer.current.over = under(event);
          light(pointer.current.over);
        }}
        onClick={(event) => {
          const key = cardOf(event.target);
          if (key !== undefined && !editing && !inActions(event.target)) choose(key);
        }}
        onDoubleClick={(event) => {
          const key = cardOf(event.target);
          if (key !== undefined && !inActions(event.target)) onOpen?.(key);
        }}
        onMouseOver={(event) => {
          if (!inActions(event.target)) over(cardOf(event.target));
        }}
        onMouseLeave={() => {
          over(undefined);
        }}
        onPaneClick={(event) => {
          if (editing) return;
          // Also near by: a card under the pointer may not be there to be hit yet.
          const key = under(event);
          if (key === undefined) onSelect(undefined);
          else choose(key);
        }}
        onPaneMouseMove={(event) => {
          if (!far) return;
          const key = under(event);
          if (key !== stage.getState().hovered) {
            stage.setState({ hovered: key });
            light(key);
          }
        }}
        onPaneMouseLeave={() => {
          if (far) {
            stage.setState({ hovered: undefined });
            light(undefined);
          }
        }}
        tabIndex={0}
        aria-label={label}
        aria-describedby={`${id}-help`}
        onFocus={(event) => {
          if (event.target !== event.currentTarget || !event.currentTarget.matches(':focus-visible')) return;
          goTo(stage.getState().active ?? selected ?? onStep(graph, layout, undefined, 'first'));
        }}
        onBlur={(event) => {
          if (staysBy(event.relatedTarget)) return;
          stage.setState({ focused: false });
          light(undefined);
        }}
        onKeyDown={keyDown}
      >
        {!(far && painted) && (
          <ViewportPortal>
            <Near graph={graph} layout={layout} size={size} redundant={redundant} />
          </ViewportPortal>
        )}
        <ViewportPortal>
          <CardActions layout={layout} />
        </ViewportPortal>
      </ReactFlow>
      <p id={`${id}-help`} className="hg-visually-hidden">
        {help}
      </p>
      {far && <Hovered graph={graph} />}
      {children}
      {layout.boxes.size >= MAPPED && !whole && <MapView layout={layout} size={size} onMove={camera.goTo} />}
      <Controls
        graph={graph}
        onFit={camera.fit}
        onZoom={camera.zoomBy}
        onFind={(key) => {
          root.current?.focus({ preventScroll: true });
          goTo(key);
        }}
        redundant={graph.redundant.size > 0 ? redundant : undefined}
        onRedundant={setRedundant}
        tools={tools}
      />
    </InsideContext>
  );
}

/** What can be seen where it can be read: drawn anew by itself while the view moves. */
function Near({ size, redundant, ...drawn }: { graph: TaskGraph; layout: Layout; size: Size; redundant: boolean }) {
  const { band, seats } = useSight(drawn.layout, size);
  return (
    <>
      <Ground {...drawn} band={band} redundant={redundant} />
      <Cards {...drawn} seats={seats} />
    </>
  );
}

/** From afar, the name of what is under the pointer. */
function Hovered({ graph }: { graph: TaskGraph }) {
  const key = useStage((s) => s.hovered);
  if (key === undefined) return null;
  const g = byNumber(graph);
  const task = g.tasks[g.byKey.get(key) ?? -1];
  return (
    <p className={styles.hovered} aria-hidden="true">
      <bdi>{task?.title ?? key}</bdi>
    </p>
  );
}

const KEYS: Readonly<Record<string, Step>> = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
  Home: 'first',
  End: 'last',
};

function stepFor({ key, altKey }: { key: string; altKey: boolean }): Step | undefined {
  if (!altKey) return KEYS[key];
  return key === 'ArrowUp' ? 'needs' : key === 'ArrowDown' ? 'dependents' : undefined;
}
