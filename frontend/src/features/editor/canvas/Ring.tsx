import { type CSSProperties, type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useInside } from '@/scene';
import { useEditor } from '../context';
import { type RingAt, useDesk, useParts } from './desk';
import { RADIUS, ringAt, ringMiddle, ringPlaces, ringStep } from './ring';
import { type RingAct, useRingActs } from './ringActs';
import styles from './Ring.module.css';

/** HiveGo's ring: what can be done with a card, a lane or the ground, around the pointer. A flick chooses, or a letter. */
export function Ring() {
  const ring = useDesk((s) => s.ring);
  const known = useKnown(ring);
  return ring && known ? (
    <Open key={`${JSON.stringify(ring.subject)} ${ring.client.x} ${ring.client.y}`} ring={ring} />
  ) : null;
}

/** Whether what the ring is about is there. */
function useKnown(ring: RingAt | undefined): boolean {
  const { store } = useEditor();
  if (!ring || 'ground' in ring.subject) return ring !== undefined;
  const { doc } = store.getState();
  const { subject } = ring;
  return doc.jobs.some((job) =>
    'job' in subject ? job.key === subject.job : job.tasks?.some((task) => task.key === subject.task),
  );
}

function Open({ ring }: { ring: RingAt }) {
  const { t } = useTranslation('canvas');
  const { desk } = useParts();
  const { root } = useInside();
  const acts = useRingActs(ring);
  const places = useMemo(() => ringPlaces(acts.length), [acts.length]);
  const [middle] = useState(() => ringMiddle(ring.client, { width: window.innerWidth, height: window.innerHeight }));
  const [chosen, setChosen] = useState<number | undefined>(ring.held ? undefined : 0);
  const menu = useRef<HTMLDivElement>(null);
  const items = useRef<(HTMLButtonElement | null)[]>([]);

  const close = () => {
    desk.setState({ ring: undefined });
    root.current?.focus({ preventScroll: true });
  };
  const run = (act: RingAct | undefined) => {
    if (!act || act.off) return;
    close();
    act.act();
  };
  const latest = useRef({ acts, run, close });
  useEffect(() => {
    latest.current = { acts, run, close };
  });
  useEffect(() => {
    if (chosen === undefined) menu.current?.focus({ preventScroll: true });
    else items.current[chosen]?.focus({ preventScroll: true });
  }, [chosen]);

  // The button that opened it may still be down: where it is let go, that is chosen; near the middle the ring stays open.
  useEffect(() => {
    if (!ring.held) return undefined;
    const direction = (event: PointerEvent) =>
      ringAt(latest.current.acts.length, { x: event.clientX - middle.x, y: event.clientY - middle.y });
    const moved = (event: PointerEvent) =>
      Math.hypot(event.clientX - ring.client.x, event.clientY - ring.client.y) > 12;
    const onMove = (event: PointerEvent) => {
      if (event.buttons === 2 && moved(event)) setChosen(direction(event));
    };
    const onUp = (event: PointerEvent) => {
      if (event.button !== 2) return;
      end();
      const at = direction(event);
      if (moved(event) && at !== undefined) latest.current.run(latest.current.acts[at]);
      else setChosen((old) => old ?? 0);
    };
    const end = () => {
      window.removeEventListener('pointermove', onMove);
      window.removeEventListener('pointerup', onUp);
    };
    window.addEventListener('pointermove', onMove);
    window.addEventListener('pointerup', onUp);
    return end;
  }, [ring, middle]);
  useEffect(() => {
    const onDown = (event: PointerEvent) => {
      if (event.target instanceof Node && !menu.current?.contains(event.target)) desk.setState({ ring: undefined });
    };
    // Heard before everything else: the press that opened it is past that point.
    window.addEventListener('pointerdown', onDown, true);
    return () => {
      window.removeEventListener('pointerdown', onDown, true);
    };
  }, [desk]);

  const onKeyDown = (event: KeyboardEvent) => {
    const to = ringStep(acts.length, chosen ?? -1, event.key);
    const named = acts.find(
      (act) => act.letter === event.key.toLowerCase() && !event.ctrlKey && !event.metaKey && !event.altKey,
    );
    if (to !== undefined) setChosen(to);
    else if (event.key === 'Escape' || event.key === 'Tab') close();
    else if (named) run(named);
    else if (event.key !== 'Enter' && event.key !== ' ') return;
    else run(acts[chosen ?? 0]);
    event.preventDefault();
    event.stopPropagation();
  };
  const subject = 'task' in ring.subject ? ring.subject.task : 'job' in ring.subject ? ring.subject.job : undefined;
  return (
    <div
      ref={menu}
      className={styles.ring}
      style={{ left: middle.x, top: middle.y }}
      role="menu"
      tabIndex={-1}
      data-own=""
      data-ring=""
      aria-label={subject === undefined ? t('ring.ground') : t('ring.name', { name: subject })}
      onKeyDown={onKeyDown}
      onContextMenu={(event) => {
        event.preventDefault();
      }}
    >
      <span className={styles.disc} style={{ width: 2 * RADIUS + 68, height: 2 * RADIUS + 68 }} aria-hidden="true" />
      {acts.map((act, i) => (
        <button
          key={act.letter}
          ref={(element) => {
            items.current[i] = element;
          }}
          type="button"
          role="menuitem"
          tabIndex={i === chosen ? 0 : -1}
          aria-disabled={act.off || undefined}
          aria-keyshortcuts={act.letter}
          className={styles.item}
          data-danger={act.danger || undefined}
          data-chosen={i === chosen || undefined}
          style={{ '--x': `${places[i]?.x ?? 0}px`, '--y': `${places[i]?.y ?? 0}px` } as CSSProperties}
          onPointerMove={() => {
            setChosen(i);
          }}
          onClick={() => {
            run(act);
          }}
        >
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <path d={act.sign} />
          </svg>
          <span className="hg-visually-hidden">{act.label}</span>
        </button>
      ))}
      <span className={styles.middle} aria-hidden="true">
        {chosen === undefined ? (
          subject
        ) : (
          <>
            {acts[chosen]?.label}
            <kbd>{acts[chosen]?.letter.toUpperCase()}</kbd>
          </>
        )}
      </span>
    </div>
  );
}
