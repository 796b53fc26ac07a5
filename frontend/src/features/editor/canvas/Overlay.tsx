import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { didText, moveJob, moveTasksToNewJob, noteText, note, offerText, refusalText, refuse } from '@/document';
import { invalidEdges } from '@/graph';
import { CARD, type Inside, type Layout, type Point, svgPath, useInside } from '@/scene';
import { useDoc, useEditor } from '../context';
import { moveCommand } from './acts';
import { useDesk, useParts } from './desk';
import type { Hand } from './hand';
import { between, type Hit } from './hits';
import { intoOf, laneIndexAt, opensLater, placeOf } from './outcome';
import styles from './Overlay.module.css';
import { Tip } from './Tip';

type Dragging = Extract<Hand, { is: 'dragging' }>;

/** What is drawn over the scene while something is dragged, and what is selected of the edges. */
export function Overlay() {
  const inside = useInside();
  const hand = useDesk((s) => (s.hand.is === 'dragging' ? s.hand : undefined));
  const { Portal } = inside;
  return (
    <>
      <Portal>
        <svg className={styles.svg} aria-hidden="true">
          <Impossible inside={inside} />
          <Chosen inside={inside} />
          {hand?.what.held === 'edge' && <Drawn inside={inside} hand={hand} from={hand.what.from} />}
          {hand?.what.held === 'frame' && <Frame a={hand.from} b={hand.at} />}
        </svg>
        {hand && (hand.what.held === 'tasks' || hand.what.held === 'handler') && (
          <Landing inside={inside} over={placeOf(inside, hand.over, hand.at)} />
        )}
        {hand?.what.held === 'job' && (
          <Slot layout={inside.layout} index={slotOf(inside, hand.what.job, hand.at.y)} label={hand.what.job} />
        )}
        {hand?.what.held === 'edge' && (hand.over.at === 'lane' || hand.over.at === 'between') && (
          <Opening inside={inside} hand={hand} from={hand.what.from} />
        )}
      </Portal>
      {hand && <Carried inside={inside} hand={hand} />}
      <Told inside={inside} hand={hand} />
    </>
  );
}

/** The selected dependency. */
function Chosen({ inside: { layout } }: { inside: Inside }) {
  const selected = useDoc((s) => s.selection.edge);
  const d = useMemo(
    () =>
      selected ? svgPath(layout.edges.filter((edge) => edge.from === selected.from && edge.to === selected.to)) : '',
    [layout, selected],
  );
  return d ? (
    <path className={styles.chosen} d={d} data-edge={`${selected?.from ?? ''}>${selected?.to ?? ''}`} />
  ) : null;
}

/** Dependencies that are written, and cannot be: on a task of the same job or a later one. The card says it in words. */
function Impossible({ inside: { layout } }: { inside: Inside }) {
  const doc = useDoc((s) => s.doc);
  const edges = useMemo(() => invalidEdges(doc), [doc]);
  const d = edges
    .flatMap(([from, to]) => {
      const [a, b] = [layout.boxes.get(from), layout.boxes.get(to)];
      return a && b ? strand({ x: a.x + a.width / 2, y: a.y + a.height }, { x: b.x + b.width / 2, y: b.y }) : [];
    })
    .join('');
  return d ? <path className={styles.impossible} d={d} data-impossible={edges.length} /> : null;
}

/** The dependency that is being drawn. */
function Drawn({ inside: { layout }, hand, from }: { inside: Inside; hand: Dragging; from: string }) {
  const { store } = useEditor();
  const box = layout.boxes.get(from);
  if (!box) return null;
  const start = { x: box.x + box.width / 2, y: box.y + box.height };
  const target = hand.over.at === 'card' || hand.over.at === 'handle' ? layout.boxes.get(hand.over.key) : undefined;
  const { doc } = store.getState();
  const bad = target ? refuse(doc, from, target.key) !== undefined : !opensLater(doc, from, hand.over);
  const end = target && !bad ? { x: target.x + target.width / 2, y: target.y } : hand.at;
  return (
    <g className={styles.drawn} data-refused={bad || undefined}>
      <path d={strand(start, end)} />
      <circle cx={end.x} cy={end.y} r={4} />
    </g>
  );
}

/** A curve that leaves downwards, wherever it ends. */
function strand(a: Point, b: Point): string {
  const bend = Math.max(24, Math.abs(b.y - a.y) / 2);
  return `M${a.x} ${a.y}C${a.x} ${a.y + bend} ${b.x} ${b.y - (b.y > a.y ? bend : -bend / 2)} ${b.x} ${b.y}`;
}

function Frame({ a, b }: { a: Point; b: Point }) {
  return <rect className={styles.frame} {...between(a, b)} />;
}

/** Where what is carried would land. */
function Landing({ inside: { layout }, over }: { inside: Inside; over: Hit }) {
  const into = intoOf(over);
  if ('index' in into) return into.index < 0 ? null : <Slot layout={layout} index={into.index} />;
  const lane = layout.lanes.find((each) => each.key === into.job);
  if (!lane) return null;
  const cards = [...layout.boxes.values()].filter((box) => box.lane === lane.index);
  const next = into.before === undefined ? undefined : layout.boxes.get(into.before);
  const last = cards.reduce<(typeof cards)[number] | undefined>(
    (best, box) => (!best || box.x > best.x ? box : best),
    undefined,
  );
  const mark = next ? { x: next.x - 9, y: next.y } : last && { x: last.x + last.width + 8, y: last.y };
  return (
    <>
      <div className={styles.target} style={place(lane)} data-target={lane.key} />
      {mark && <div className={styles.caret} style={{ ...place({ ...mark, width: 3, height: CARD.height }) }} />}
    </>
  );
}

/** Where a lane would come to be: the one that is moved, or a new one. */
function Slot({ layout, index, label }: { layout: Layout; index: number; label?: string }) {
  const { t } = useTranslation('canvas');
  const above = layout.lanes[index - 1];
  const below = layout.lanes[index];
  const first = below ?? above;
  const y = below ? below.y - 7 : above ? above.y + above.height + 5 : 12;
  return (
    <div
      className={styles.slot}
      style={place({ x: first?.x ?? 12, y, width: first?.width ?? layout.width - 24, height: 3 })}
      data-slot={index}
    >
      <span>{label ?? t('drop.newJob')}</span>
    </div>
  );
}

/** Where a dependency would open to a new task. */
function Opening({ inside, hand, from }: { inside: Inside; hand: Dragging; from: string }) {
  const { store } = useEditor();
  if (!opensLater(store.getState().doc, from, hand.over)) return null;
  return <Landing inside={inside} over={hand.over} />;
}

const place = ({ x, y, width, height }: { x: number; y: number; width: number; height: number }) => ({
  transform: `translate(${x}px, ${y}px)`,
  width,
  height,
});

/** The number before which a moved lane comes to be, counted with it. */
function slotOf(inside: Inside, job: string, y: number): number {
  const to = laneIndexAt(inside, job, y);
  const from = inside.layout.lanes.findIndex((lane) => lane.key === job);
  return to > from ? to + 1 : to;
}

/** What is carried, at the pointer. */
function Carried({ hand }: { inside: Inside; hand: Dragging }) {
  const { what, client } = hand;
  const name =
    what.held === 'tasks'
      ? what.key
      : what.held === 'handler'
        ? what.handler
        : what.held === 'job'
          ? what.job
          : undefined;
  if (name === undefined) return null;
  const more = what.held === 'tasks' ? what.keys.length : 1;
  return (
    <div
      className={styles.carried}
      style={{ transform: `translate(${client.x + 10}px, ${client.y + 10}px)` }}
      aria-hidden="true"
      data-carried=""
    >
      {name}
      {more > 1 && <span>{more}</span>}
    </div>
  );
}

/** What would come of it if it were let go now, in words at the pointer; or what came of the last try. */
function Told({ inside, hand }: { inside: Inside; hand?: Dragging }) {
  const { acts, desk } = useParts();
  const { t } = useTranslation('document');
  const { t: own } = useTranslation('canvas');
  const doc = useDoc((s) => s.doc);
  const tip = useDesk((s) => s.tip);
  if (hand?.what.held === 'edge' && (hand.over.at === 'card' || hand.over.at === 'handle')) {
    const refusal = refuse(doc, hand.what.from, hand.over.key);
    const known = refusal ? undefined : note(doc, hand.what.from, hand.over.key);
    if (known) return <Tip client={hand.client} text={noteText(t, known)} />;
    if (!refusal) return null;
    const offer = offerText(t, refusal);
    return (
      <Tip
        client={hand.client}
        refused
        text={refusalText(t, refusal)}
        more={offer && own('drop.instead', { offer })}
        sure={hand.keys.instead && Boolean(offer)}
      />
    );
  }
  if (hand?.what.held === 'tasks') {
    const into = intoOf(placeOf(inside, hand.over, hand.at));
    const command =
      'index' in into
        ? into.index < 0
          ? undefined
          : moveTasksToNewJob(doc, hand.what.keys, into.index)
        : moveCommand(doc, hand.what.keys, into);
    return command?.label.params?.count === undefined ? null : (
      <Tip client={hand.client} refused carried text={didText(t, command.label)} />
    );
  }
  if (hand?.what.held === 'job') {
    const command = moveJob(doc, hand.what.job, laneIndexAt(inside, hand.what.job, hand.at.y));
    return command?.label.params?.count === undefined ? null : (
      <Tip client={hand.client} refused carried text={didText(t, command.label)} />
    );
  }
  if (hand || !tip) return null;
  const offer = offerText(t, tip.refusal);
  return (
    <Tip
      client={tip.client}
      refused
      text={refusalText(t, tip.refusal)}
      more={offer}
      onMore={
        offer
          ? () => {
              acts.accept(tip.refusal);
              desk.setState({ tip: undefined });
              inside.root.current?.focus({ preventScroll: true });
            }
          : undefined
      }
    />
  );
}
