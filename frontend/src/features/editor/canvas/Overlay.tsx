import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { refusalOf } from '@/document';
import { invalidEdges } from '@/graph';
import { CARD, type Layout, type Point, svgPath, useSceneApi } from '@/scene';
import { useDoc, useEditor } from '../context';
import { type Drop, dropOf } from './applyGesture';
import { useCanvasContext, useCanvasState } from './canvasStore';
import type { Destination } from './editActions';
import type { Drag, DragSubject } from './gestureMachine';
import { addJobAndName } from './newJob';
import styles from './Overlay.module.css';
import { DropTip } from './Tips';

/** The layer over the scene: the selected dependency, invalid ones, and the subject and effect of a drag. */
export function Overlay() {
  const { layout, Portal } = useSceneApi();
  const { store } = useEditor();
  const drag = useCanvasState((s) => (s.gesture.phase === 'dragging' ? s.gesture : undefined));
  const drop = drag && dropOf(drag, layout, store.getState().doc);
  return (
    <>
      <Portal>
        <svg className={styles.svg} aria-hidden="true">
          <InvalidEdges layout={layout} />
          <SelectedEdge layout={layout} />
          {drag?.subject.kind === 'edge' && drop && (
            <DraggedEdge layout={layout} from={drag.subject.from} at={drag.at} drop={drop} />
          )}
          {drop?.kind === 'select' && <rect className={styles.frame} {...drop.area} />}
        </svg>
        {!drag && <EmptyLanes layout={layout} />}
        {!drag && <NextJob layout={layout} />}
        {drop && 'into' in drop && <DropMark layout={layout} into={drop.into} />}
        {drop?.kind === 'moveJob' && <LaneSlot layout={layout} index={slotOf(layout, drop)} label={drop.job} />}
      </Portal>
      {drag && <Carried subject={drag.subject} client={drag.client} />}
      <DropTip drag={drag} drop={drop} />
    </>
  );
}

/** What to do with lanes that have no tasks, unless the whole canvas says it. */
function EmptyLanes({ layout }: { layout: Layout }) {
  const { t } = useTranslation('canvas');
  const filled = useMemo(() => new Set([...layout.boxes.values()].map((box) => box.lane)), [layout]);
  if (filled.size === 0) return null;
  return layout.lanes
    .filter((lane) => !filled.has(lane.index))
    .map((lane) => (
      <p key={lane.key} className={styles.invite} style={placed(lane)} data-invite={lane.key} aria-hidden="true">
        {t('lane.invite')}
      </p>
    ));
}

/** The distance of the button for the next job from the last lane, in scene pixels. */
const NEXT_JOB = 9;

/** Adds a job where the last lane ends. By keyboard, Shift+N does. */
function NextJob({ layout: { lanes } }: { layout: Layout }) {
  const { t } = useTranslation('canvas');
  const context = useCanvasContext();
  const last = lanes.at(-1);
  if (!last) return null;
  return (
    <button
      type="button"
      className={`${styles.next ?? ''} nopan`}
      style={{ transform: `translate(${last.x}px, ${last.y + last.height + NEXT_JOB}px)` }}
      tabIndex={-1}
      data-own=""
      data-next-job=""
      title={t('lane.nextHint')}
      onClick={() => {
        addJobAndName(context, lanes.length);
      }}
    >
      <span aria-hidden="true" />
      {t('lane.next')}
    </button>
  );
}

/** The selected dependency. */
function SelectedEdge({ layout }: { layout: Layout }) {
  const selected = useDoc((s) => s.selection.edge);
  const d = useMemo(
    () =>
      selected ? svgPath(layout.edges.filter((edge) => edge.from === selected.from && edge.to === selected.to)) : '',
    [layout, selected],
  );
  return d ? (
    <path className={styles.selected} d={d} data-edge={`${selected?.from ?? ''}>${selected?.to ?? ''}`} />
  ) : null;
}

/** Needs that name a task of the same job or a later one. The fault is a text on the card. */
function InvalidEdges({ layout }: { layout: Layout }) {
  const doc = useDoc((s) => s.doc);
  const edges = useMemo(() => invalidEdges(doc), [doc]);
  const d = edges
    .flatMap(([from, to]) => {
      const [a, b] = [layout.boxes.get(from), layout.boxes.get(to)];
      return a && b ? strand({ x: a.x + a.width / 2, y: a.y + a.height }, { x: b.x + b.width / 2, y: b.y }) : [];
    })
    .join('');
  return d ? <path className={styles.invalid} d={d} data-invalid={edges.length} /> : null;
}

interface DraggedEdgeProps {
  layout: Layout;
  from: string;
  /** The position of the pointer in the scene. */
  at: Point;
  drop: Drop;
}

/** The dependency that is drawn by the pointer. */
function DraggedEdge({ layout, from, at, drop }: DraggedEdgeProps) {
  const { store } = useEditor();
  const box = layout.boxes.get(from);
  if (!box) return null;
  const target = drop.kind === 'connect' ? layout.boxes.get(drop.to) : undefined;
  const refused = target ? refusalOf(store.getState().doc, from, target.key) !== undefined : drop.kind !== 'addAfter';
  const end = target && !refused ? { x: target.x + target.width / 2, y: target.y } : at;
  return (
    <g className={styles.dragged} data-refused={refused || undefined}>
      <path d={strand({ x: box.x + box.width / 2, y: box.y + box.height }, end)} />
      <circle cx={end.x} cy={end.y} r={4} />
    </g>
  );
}

/** A curve that starts downwards, even if it ends above its start. */
function strand(a: Point, b: Point): string {
  const bend = Math.max(24, Math.abs(b.y - a.y) / 2);
  return `M${a.x} ${a.y}C${a.x} ${a.y + bend} ${b.x} ${b.y - (b.y > a.y ? bend : -bend / 2)} ${b.x} ${b.y}`;
}

/** Marks the destination of a drop: a caret in a lane, or the slot of a new lane. */
function DropMark({ layout, into }: { layout: Layout; into: Destination }) {
  if ('index' in into) return <LaneSlot layout={layout} index={into.index} />;
  const lane = layout.lanes.find((each) => each.key === into.job);
  if (!lane) return null;
  const cards = [...layout.boxes.values()].filter((box) => box.lane === lane.index);
  const next = into.before === undefined ? undefined : layout.boxes.get(into.before);
  const last = cards.reduce<(typeof cards)[number] | undefined>(
    (best, box) => (!best || box.x > best.x ? box : best),
    undefined,
  );
  const caret = next ? { x: next.x - 9, y: next.y } : last && { x: last.x + last.width + 8, y: last.y };
  return (
    <>
      <div className={styles.target} style={placed(lane)} data-target={lane.key} />
      {caret && <div className={styles.caret} style={placed({ ...caret, width: 3, height: CARD.height })} />}
    </>
  );
}

/** The slot of a moved or new lane. */
function LaneSlot({ layout, index, label }: { layout: Layout; index: number; label?: string }) {
  const { t } = useTranslation('canvas');
  const above = layout.lanes[index - 1];
  const below = layout.lanes[index];
  const first = below ?? above;
  const y = below ? below.y - 7 : above ? above.y + above.height + 5 : 12;
  return (
    <div
      className={styles.slot}
      style={placed({ x: first?.x ?? 12, y, width: first?.width ?? layout.width - 24, height: 3 })}
      data-slot={index}
    >
      <span>{label ?? t('drop.newJob')}</span>
    </div>
  );
}

const placed = ({ x, y, width, height }: { x: number; y: number; width: number; height: number }) => ({
  transform: `translate(${x}px, ${y}px)`,
  width,
  height,
});

/** The index of the slot of a moved lane among all lanes, itself included. */
function slotOf({ lanes }: Layout, { job, index }: { job: string; index: number }): number {
  const from = lanes.findIndex((lane) => lane.key === job);
  return index > from ? index + 1 : index;
}

/** The name of the dragged subject, at the pointer. */
function Carried({ subject, client }: { subject: DragSubject; client: Drag['client'] }) {
  const name = nameOf(subject);
  if (name === undefined) return null;
  const count = subject.kind === 'tasks' ? subject.keys.length : 1;
  return (
    <div
      className={styles.carried}
      style={{ transform: `translate(${client.x + 10}px, ${client.y + 10}px)` }}
      aria-hidden="true"
      data-carried=""
    >
      {name}
      {count > 1 && <span>{count}</span>}
    </div>
  );
}

function nameOf(subject: DragSubject): string | undefined {
  switch (subject.kind) {
    case 'tasks':
      return subject.key;
    case 'handler':
      return subject.handler;
    case 'job':
      return subject.job;
    default:
      return undefined;
  }
}
