import type { TFunction } from 'i18next';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  type Command,
  labelText,
  type Doc,
  moveJob,
  moveTasksToNewJob,
  noteOf,
  noteText,
  offerText,
  type Refusal,
  refusalText,
  refusalOf,
} from '@/document';
import { type Point, useSceneApi, useSceneState } from '@/scene';
import { useDoc } from '../context';
import type { Drop } from './applyGesture';
import { useCanvasContext, useCanvasState } from './canvasStore';
import { type ConnectAnswer, moveCommand } from './editActions';
import type { Drag } from './gestureMachine';
import styles from './Tips.module.css';

/** The text about why two tasks were not connected. */
export const answerText = (t: TFunction<'document'>, answer: NonNullable<ConnectAnswer>): string =>
  'refusal' in answer ? refusalText(t, answer.refusal) : noteText(t, answer.note);

/** A text at the pointer about the effect of a drop; without a drag, why the last dependency was refused. */
export function DropTip({ drag, drop }: { drag?: Drag; drop?: Drop }) {
  const { t } = useTranslation('document');
  const doc = useDoc((s) => s.doc);
  const tip = useCanvasState((s) => s.tip);
  if (!drag || !drop) return tip ? <RefusalTip {...tip} /> : null;
  if (drop.kind === 'connect') return <ConnectTip drag={drag} from={drop.from} to={drop.to} />;
  const label = moveOf(doc, drop)?.label;
  // The drop would remove dependencies: this must not be overlooked.
  return label?.params?.count === undefined ? null : (
    <Tip client={drag.client} refused carried text={labelText(t, label)} />
  );
}

function moveOf(doc: Doc, drop: Drop): Command | undefined {
  if (drop.kind === 'moveJob') return moveJob(doc, drop.job, drop.index);
  if (drop.kind !== 'move') return undefined;
  return 'index' in drop.into
    ? moveTasksToNewJob(doc, drop.keys, drop.into.index)
    : moveCommand(doc, drop.keys, drop.into);
}

function ConnectTip({ drag: { client, modifiers }, from, to }: { drag: Drag; from: string; to: string }) {
  const { t } = useTranslation('document');
  const { t: tCanvas } = useTranslation('canvas');
  const doc = useDoc((s) => s.doc);
  const refusal = refusalOf(doc, from, to);
  const hint = refusal ? undefined : noteOf(doc, from, to);
  if (hint) return <Tip client={client} text={noteText(t, hint)} />;
  if (!refusal) return null;
  const offer = offerText(t, refusal);
  return (
    <Tip
      client={client}
      refused
      text={refusalText(t, refusal)}
      offer={offer && tCanvas('drop.instead', { offer })}
      accepting={modifiers.alternative && Boolean(offer)}
    />
  );
}

function RefusalTip({ refusal, client }: { refusal: Refusal; client: Point }) {
  const { t } = useTranslation('document');
  const { edit, canvas } = useCanvasContext();
  const { root } = useSceneApi();
  const offer = offerText(t, refusal);
  const accept = () => {
    edit.accept(refusal);
    canvas.setState({ tip: undefined });
    root.current?.focus({ preventScroll: true });
  };
  return (
    <Tip client={client} refused text={refusalText(t, refusal)} offer={offer} onAccept={offer ? accept : undefined} />
  );
}

/** While a dependency is drawn by keys: shows and announces whether it may end at the active card. */
export function KeyboardConnect() {
  const from = useCanvasState((s) => s.connectingFrom);
  const active = useSceneState((s) => s.active);
  return from !== undefined && active !== undefined && active !== from ? (
    <TargetTip key={active} from={from} to={active} />
  ) : null;
}

function TargetTip({ from, to }: { from: string; to: string }) {
  const { t } = useTranslation('document');
  const { t: tCanvas } = useTranslation('canvas');
  const { canvas } = useCanvasContext();
  const { layout, toWindow } = useSceneApi();
  const doc = useDoc((s) => s.doc);
  const box = layout.boxes.get(to);
  const refusal = refusalOf(doc, from, to);
  const hint = noteOf(doc, from, to);
  const offer = refusal && offerText(t, refusal);
  const text = refusal ? refusalText(t, refusal) : hint ? noteText(t, hint) : tCanvas('link.allowed', { from, to });
  const offerHint = offer && tCanvas('link.instead', { offer });
  useEffect(() => {
    if (box) canvas.setState({ announcement: [text, offerHint].filter(Boolean).join(' ') });
  }, [canvas, box, text, offerHint]);
  if (!box) return null;
  const { x, y, height } = toWindow(box);
  return <Tip client={{ x: x + 12, y: y + height - 8 }} text={text} refused={Boolean(refusal)} offer={offerHint} />;
}

interface TipProps {
  /** A point of the window: the pointer, or the lower edge of a card. */
  client: Point;
  text: string;
  refused?: boolean;
  /** The offer of a refusal, as text. */
  offer?: string;
  /** Releasing the pointer now would accept the offer. */
  accepting?: boolean;
  onAccept?: () => void;
  /** The name of a dragged item is drawn at the pointer, so the tip is shown further below. */
  carried?: boolean;
}

/** The distance of a tip from its point, in pixels; the second one below the name of a dragged item. */
const DISTANCE = 18;
const CARRIED_DISTANCE = 50;

/** A text at a point of the window. All of it stays within the window. */
function Tip({ client, text, refused, offer, accepting, onAccept, carried }: TipProps) {
  const element = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ width: 246, height: 80 });
  useLayoutEffect(() => {
    const { offsetWidth: width, offsetHeight: height } = element.current ?? { offsetWidth: 0, offsetHeight: 0 };
    setSize((old) => (old.width === width && old.height === height ? old : { width, height }));
  }, [text, offer]);
  const x = Math.max(8, Math.min(window.innerWidth - size.width - 8, client.x + 4));
  const below = client.y + (carried ? CARRIED_DISTANCE : DISTANCE);
  const y = below + size.height > window.innerHeight - 8 ? client.y - DISTANCE - size.height : below;
  return (
    <div
      ref={element}
      className={styles.tip}
      style={{ transform: `translate(${x}px, ${y}px)` }}
      role={onAccept ? 'group' : undefined}
      data-own=""
      data-tip={refused ? 'refused' : 'note'}
    >
      <b>{text}</b>
      {offer &&
        (onAccept ? (
          <button type="button" onClick={onAccept}>
            {offer}
          </button>
        ) : (
          <span data-accepting={accepting || undefined}>{offer}</span>
        ))}
    </div>
  );
}
