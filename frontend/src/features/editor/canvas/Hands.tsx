import { useEffect, useLayoutEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { noteText, refusalText } from '@/document';
import { type Inside, type Point, useInside } from '@/scene';
import { useEditor } from '../context';
import { isCovered } from '../sheet';
import type { Connected } from './acts';
import { type QuickAt, useParts } from './desk';
import { drift, type Held, handAfter, type Keys, type Move } from './hand';
import { type Hit, hitAt } from './hits';
import { intoOf, opensLater, placeOf, settle } from './outcome';

/** How long a finger rests until it means more than a tap, in milliseconds. */
const LONG = 450;
/** Around a handle or a edge, in pixels of the screen. */
const REACH = { mouse: { handle: 16, edge: 6 }, touch: { handle: 24, edge: 14 } } as const;

/** Listens to mouse, pen and fingers on the scene. It draws nothing. */
export function Hands() {
  const inside = useInside();
  const parts = useParts();
  const { store } = useEditor();
  const { t } = useTranslation('document');
  const latest = useRef({ inside, t });
  // Before a press can meet what was just drawn.
  useLayoutEffect(() => {
    latest.current = { inside, t };
  });

  useEffect(() => {
    const root = latest.current.inside.root.current;
    if (!root) return undefined;
    const { desk, acts } = parts;
    const say = (connected: Connected) => {
      if (connected)
        desk.setState({
          said:
            'refusal' in connected
              ? refusalText(latest.current.t, connected.refusal)
              : noteText(latest.current.t, connected.note),
        });
    };
    const around = () => ({ ...parts, store, inside: latest.current.inside, say });
    const state = { space: false, claimed: false, stop: undefined as (() => void) | undefined };

    const move = (event: Move) => {
      const { hand, outcome } = handAfter(desk.getState().hand, event);
      if (hand !== desk.getState().hand) {
        desk.setState({ hand, ...(hand.is === 'dragging' ? { ring: undefined, tip: undefined } : {}) });
      }
      if (outcome) settle(outcome, around());
    };

    /** Follows a pointer from its press to its end. */
    const follow = (pressed: PointerEvent, what: Held, hit: Hit) => {
      state.stop?.();
      let client = pointOf(pressed);
      let frame = 0;
      const at = () => latest.current.inside.toScene(client);
      const tell = (keys: Keys) => {
        move({ did: 'move', at: at(), client, over: underneath(latest.current.inside, client), keys });
      };
      const pan = () => {
        frame = 0;
        if (desk.getState().hand.is !== 'dragging') return;
        const by = drift(client, root.getBoundingClientRect());
        if (by.x === 0 && by.y === 0) return;
        latest.current.inside.panBy(by.x, by.y);
        tell(desk.getState().hand.is === 'dragging' ? keysNow : keysOf(pressed));
        frame = requestAnimationFrame(pan);
      };
      let keysNow = keysOf(pressed);
      const onMove = (event: PointerEvent) => {
        if (event.pointerId !== pressed.pointerId) return;
        client = pointOf(event);
        keysNow = keysOf(event);
        tell(keysNow);
        frame ||= requestAnimationFrame(pan);
      };
      const onUp = (event: PointerEvent) => {
        if (event.pointerId !== pressed.pointerId) return;
        stop();
        move({ did: 'release' });
      };
      const onKey = (event: KeyboardEvent) => {
        if (event.key === 'Escape') {
          event.stopPropagation();
          stop();
          move({ did: 'cancel' });
        } else if (event.key === 'Shift' || event.key === 'Alt') {
          keysNow = { ...keysNow, instead: event.type === 'keydown' };
          move({ did: 'keys', keys: keysNow });
        }
      };
      const onCancel = () => {
        stop();
        move({ did: 'cancel' });
      };
      const stop = () => {
        cancelAnimationFrame(frame);
        window.removeEventListener('pointermove', onMove);
        window.removeEventListener('pointerup', onUp);
        window.removeEventListener('pointercancel', onCancel);
        window.removeEventListener('blur', onCancel);
        window.removeEventListener('keydown', onKey, true);
        window.removeEventListener('keyup', onKey, true);
        state.stop = undefined;
      };
      window.addEventListener('pointermove', onMove);
      window.addEventListener('pointerup', onUp);
      window.addEventListener('pointercancel', onCancel);
      window.addEventListener('blur', onCancel);
      window.addEventListener('keydown', onKey, true);
      window.addEventListener('keyup', onKey, true);
      state.stop = stop;
      move({ did: 'press', what, hit, at: at(), client, keys: keysOf(pressed) });
    };

    const openRing = (hit: Hit, client: Point, held: boolean) => {
      const { selection } = store.getState();
      if (hit.at === 'card' || hit.at === 'handle') {
        if (!selection.tasks.includes(hit.key) && !isCovered()) acts.selectTasks([hit.key]);
        parts.stage.setState({ active: hit.key, focused: isCovered() });
        desk.setState({ ring: { subject: { task: hit.key }, client, held }, tip: undefined });
      } else if (hit.at === 'lane' || hit.at === 'head')
        desk.setState({ ring: { subject: { job: hit.job }, client, held }, tip: undefined });
      else if (hit.at === 'between')
        desk.setState({ ring: { subject: { ground: hit.index }, client, held }, tip: undefined });
      else acts.select({ tasks: [], edge: { from: hit.from, to: hit.to } });
    };

    const onDown = (event: PointerEvent) => {
      state.claimed = false;
      if (!(event.target instanceof Element) || event.target.closest('[data-own], [data-actions]')) return;
      const client = pointOf(event);
      const touch = event.pointerType === 'touch';
      const hit = pressedOn(event, latest.current.inside, touch ? REACH.touch : REACH.mouse);
      if (event.button === 2) {
        openRing(hit, client, true);
        return;
      }
      if (event.button !== 0 || state.space) return;
      desk.setState({ tip: undefined, ring: undefined });
      const grip = event.target.closest<HTMLElement>('[data-grip]')?.dataset.grip;
      const selected = (hit.at === 'card' || hit.at === 'handle') && store.getState().selection.tasks.includes(hit.key);
      const what = heldBy(hit, grip, store.getState().selection.tasks, event);
      if (!touch || grip !== undefined || hit.at === 'handle' || selected) {
        state.claimed = touch;
        follow(event, what, hit);
        if (touch) rest(event, hit, client);
        return;
      }
      tapOrRest(event, hit, client);
    };

    /** A finger that stays where it is opens the ring. */
    const rest = (pressed: PointerEvent, hit: Hit, client: Point) => {
      const timer = setTimeout(() => {
        if (desk.getState().hand.is !== 'pressed') return;
        state.stop?.();
        move({ did: 'cancel' });
        openRing(hit, client, false);
      }, LONG);
      window.addEventListener(
        'pointerup',
        (event) => {
          if (event.pointerId === pressed.pointerId) clearTimeout(timer);
        },
        { once: true },
      );
    };

    /** A finger on the ground or on a card that is not selected moves the view; it selects by a tap, and opens the ring by resting. */
    const tapOrRest = (pressed: PointerEvent, hit: Hit, client: Point) => {
      const timer = setTimeout(() => {
        end();
        openRing(hit, client, false);
      }, LONG);
      const far = (event: PointerEvent) => Math.hypot(event.clientX - client.x, event.clientY - client.y) > 8;
      const onMove = (event: PointerEvent) => {
        if (event.pointerId === pressed.pointerId && far(event)) end();
      };
      const onUp = (event: PointerEvent) => {
        if (event.pointerId !== pressed.pointerId) return;
        end();
        if (!far(event))
          settle({ done: 'click', hit, what: { held: 'frame', more: false }, keys: keysOf(event), client }, around());
      };
      const end = () => {
        clearTimeout(timer);
        window.removeEventListener('pointermove', onMove);
        window.removeEventListener('pointerup', onUp);
        window.removeEventListener('pointercancel', end);
      };
      window.addEventListener('pointermove', onMove);
      window.addEventListener('pointerup', onUp);
      window.addEventListener('pointercancel', end);
    };

    // A finger that holds something must not move the view as well.
    const onTouch = (event: TouchEvent) => {
      if (!state.claimed) return;
      event.stopPropagation();
      event.preventDefault();
    };
    const onContext = (event: MouseEvent) => {
      event.preventDefault();
    };
    const onDouble = (event: MouseEvent) => {
      if (!(event.target instanceof Element) || event.target.closest('[data-own], [data-actions]')) return;
      const client = pointOf(event);
      const hit = pressedOn(event, latest.current.inside, REACH.mouse);
      if (hit.at === 'card') desk.setState({ renaming: hit.key });
      else if (hit.at === 'head') desk.setState({ renaming: `:${hit.job}` });
      else if (hit.at === 'lane' || hit.at === 'between') desk.setState({ quick: quickAt(client) });
    };
    const onHover = (event: PointerEvent) => {
      if (event.pointerType === 'mouse') parts.pointer.setState({ at: pointOf(event) });
    };
    const onLeave = () => {
      parts.pointer.setState({ at: undefined });
    };
    const onTab = (event: KeyboardEvent) => {
      if (event.key === 'Tab' && !(event.target instanceof Node && root.contains(event.target))) onLeave();
    };
    const onSpace = (event: KeyboardEvent) => {
      if (event.code === 'Space') state.space = event.type === 'keydown';
    };

    const quickAt = (client: Point): QuickAt | undefined => {
      const { inside: scene } = latest.current;
      const hit = placeOf(scene, underneath(scene, client), scene.toScene(client));
      if (hit.at !== 'lane' && hit.at !== 'between') return undefined;
      const {
        doc,
        selection: { tasks },
      } = store.getState();
      return {
        client,
        into: intoOf(hit),
        from: tasks.length === 1 && tasks[0] !== undefined && opensLater(doc, tasks[0], hit) ? tasks[0] : undefined,
      };
    };
    desk.setState({
      quickAt,
      grab: (event, what) => {
        follow(event, what, { at: 'between', index: -1 });
      },
    });
    root.addEventListener('pointerdown', onDown);
    root.addEventListener('pointermove', onHover);
    root.addEventListener('pointerleave', onLeave);
    root.addEventListener('touchstart', onTouch, { capture: true, passive: false });
    root.addEventListener('contextmenu', onContext);
    root.addEventListener('dblclick', onDouble);
    window.addEventListener('keydown', onSpace);
    window.addEventListener('keyup', onSpace);
    window.addEventListener('keydown', onTab, true);
    return () => {
      state.stop?.();
      desk.setState({ grab: undefined, quickAt: undefined });
      root.removeEventListener('pointerdown', onDown);
      root.removeEventListener('pointermove', onHover);
      root.removeEventListener('pointerleave', onLeave);
      root.removeEventListener('touchstart', onTouch, { capture: true });
      root.removeEventListener('contextmenu', onContext);
      root.removeEventListener('dblclick', onDouble);
      window.removeEventListener('keydown', onSpace);
      window.removeEventListener('keyup', onSpace);
      window.removeEventListener('keydown', onTab, true);
    };
  }, [parts, store]);
  return null;
}

const pointOf = (event: { clientX: number; clientY: number }): Point => ({ x: event.clientX, y: event.clientY });
const keysOf = (event: { shiftKey: boolean; ctrlKey: boolean; metaKey: boolean; altKey: boolean }): Keys => ({
  more: event.shiftKey || event.ctrlKey || event.metaKey,
  instead: event.shiftKey || event.altKey,
});

/** What lies below a point of the window, for what is dropped there. */
const underneath = (inside: Inside, client: Point): Hit => hitAt(inside.layout, inside.toScene(client));

function pressedOn(event: MouseEvent, inside: Inside, reach: { handle: number; edge: number }): Hit {
  const target = event.target instanceof Element ? event.target : undefined;
  const head = target?.closest<HTMLElement>('[data-lane-head], [data-grip]')?.dataset;
  if (head) return { at: 'head', job: head.laneHead ?? head.grip ?? '' };
  const zoom = inside.view().zoom;
  const hit = hitAt(inside.layout, inside.toScene(pointOf(event)), {
    handle: reach.handle / Math.max(zoom, 0.5),
    edge: reach.edge / zoom,
    redundant: inside.redundant,
  });
  // The card that a person sees under the pointer is the one that is meant, whatever the layout says by now.
  const card = target?.closest<HTMLElement>('[data-editable]')?.dataset.task;
  return card === undefined || hit.at === 'handle' ? hit : { at: 'card', key: card };
}

function heldBy(hit: Hit, grip: string | undefined, selected: readonly string[], event: PointerEvent): Held {
  if (grip !== undefined) return { held: 'job', job: grip };
  if (hit.at === 'handle') return { held: 'edge', from: hit.key };
  if (hit.at === 'head') return { held: 'job', job: hit.job };
  if (hit.at === 'card')
    return { held: 'tasks', key: hit.key, keys: selected.includes(hit.key) ? selected : [hit.key] };
  return { held: 'frame', more: keysOf(event).more };
}
