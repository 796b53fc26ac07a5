import { type CSSProperties, type KeyboardEvent, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Point, useSceneApi } from '@/scene';
import { useEditor } from '../context';
import { type RadialMenuState, useCanvasContext, useCanvasState } from './canvasStore';
import { type RadialMenuItem, useRadialMenuItems } from './radialMenuItems';
import styles from './RadialMenu.module.css';

/** The menu of a card, a lane or the ground, in a ring around the pointer. A flick or a letter chooses an item. */
export function RadialMenu() {
  const menu = useCanvasState((s) => s.radialMenu);
  const exists = useSubjectExists(menu);
  return menu && exists ? (
    <OpenMenu key={`${JSON.stringify(menu.subject)} ${menu.client.x} ${menu.client.y}`} menu={menu} />
  ) : null;
}

/** Whether the task or job of a menu is still in the document. */
function useSubjectExists(menu: RadialMenuState | undefined): boolean {
  const { store } = useEditor();
  if (!menu || 'ground' in menu.subject) return menu !== undefined;
  const { doc } = store.getState();
  const { subject } = menu;
  return doc.jobs.some((job) =>
    'job' in subject ? job.key === subject.job : job.tasks?.some((task) => task.key === subject.task),
  );
}

function OpenMenu({ menu }: { menu: RadialMenuState }) {
  const { t } = useTranslation('canvas');
  const { canvas } = useCanvasContext();
  const { root } = useSceneApi();
  const items = useRadialMenuItems(menu);
  const [middle] = useState(() => menuMiddle(menu.client, { width: window.innerWidth, height: window.innerHeight }));
  const [chosen, setChosen] = useState<number | undefined>(menu.buttonDown ? undefined : 0);
  const element = useRef<HTMLDivElement>(null);
  const close = () => {
    canvas.setState({ radialMenu: undefined });
    root.current?.focus({ preventScroll: true });
  };
  const run = (item: RadialMenuItem | undefined) => {
    if (!item || item.disabled) return;
    close();
    item.act();
  };
  useEffect(() => {
    if (chosen === undefined) element.current?.focus({ preventScroll: true });
    else element.current?.querySelectorAll<HTMLElement>('[role="menuitem"]')[chosen]?.focus({ preventScroll: true });
  }, [chosen]);
  useFlick(menu, middle, items, run, setChosen);
  useCloseOutside(element);

  const onKeyDown = (event: KeyboardEvent) => {
    const to = itemForKey(items.length, chosen ?? -1, event.key);
    const lettered = event.ctrlKey || event.metaKey || event.altKey ? undefined : event.key.toLowerCase();
    const named = items.find((item) => item.letter === lettered);
    if (to !== undefined) setChosen(to);
    else if (event.key === 'Escape' || event.key === 'Tab') close();
    else if (named) run(named);
    else if (event.key !== 'Enter' && event.key !== ' ') return;
    else run(items[chosen ?? 0]);
    event.preventDefault();
    event.stopPropagation();
  };
  const { subject } = menu;
  const name = 'task' in subject ? subject.task : 'job' in subject ? subject.job : undefined;
  return (
    <div
      ref={element}
      className={styles.menu}
      style={{ left: middle.x, top: middle.y }}
      role="menu"
      tabIndex={-1}
      data-own=""
      data-radial-menu=""
      aria-label={name === undefined ? t('ring.ground') : t('ring.name', { name })}
      onKeyDown={onKeyDown}
      onContextMenu={(event) => {
        event.preventDefault();
      }}
    >
      <span className={styles.disc} style={{ width: 2 * RADIUS + 68, height: 2 * RADIUS + 68 }} aria-hidden="true" />
      <Items items={items} chosen={chosen} onChoose={setChosen} onRun={run} />
      <Middle item={chosen === undefined ? undefined : items[chosen]} name={name} />
    </div>
  );
}

interface ItemsProps {
  items: readonly RadialMenuItem[];
  chosen: number | undefined;
  onChoose: (index: number) => void;
  onRun: (item: RadialMenuItem) => void;
}

function Items({ items, chosen, onChoose, onRun }: ItemsProps) {
  const positions = useMemo(() => itemPositions(items.length), [items.length]);
  return items.map((item, i) => (
    <button
      key={item.letter}
      type="button"
      role="menuitem"
      tabIndex={i === chosen ? 0 : -1}
      aria-disabled={item.disabled || undefined}
      aria-keyshortcuts={item.letter}
      className={styles.item}
      data-danger={item.danger || undefined}
      data-chosen={i === chosen || undefined}
      style={{ '--x': `${positions[i]?.x ?? 0}px`, '--y': `${positions[i]?.y ?? 0}px` } as CSSProperties}
      onPointerMove={() => {
        onChoose(i);
      }}
      onClick={() => {
        onRun(item);
      }}
    >
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d={item.icon} />
      </svg>
      <span className="hg-visually-hidden">{item.label}</span>
    </button>
  ));
}

/** The text in the middle: the chosen item, or the subject of the menu. */
function Middle({ item, name }: { item?: RadialMenuItem; name?: string }) {
  return (
    <span className={styles.middle} aria-hidden="true">
      {item ? (
        <>
          {item.label}
          <kbd>{item.letter.toUpperCase()}</kbd>
        </>
      ) : (
        name
      )}
    </span>
  );
}

/** The least move of a flick, in pixels. */
const FLICK = 12;

/**
 * While the button that opened the menu is still down, moving it chooses by its direction, and releasing it runs
 * the chosen item. Near the middle the menu stays open.
 */
function useFlick(
  { buttonDown, client }: RadialMenuState,
  middle: Point,
  items: readonly RadialMenuItem[],
  run: (item: RadialMenuItem | undefined) => void,
  choose: (to: (chosen: number | undefined) => number | undefined) => void,
): void {
  const latest = useRef({ items, run });
  useEffect(() => {
    latest.current = { items, run };
  });
  useEffect(() => {
    if (!buttonDown) return undefined;
    const direction = (event: PointerEvent) =>
      itemAt(latest.current.items.length, { x: event.clientX - middle.x, y: event.clientY - middle.y });
    const moved = (event: PointerEvent) => Math.hypot(event.clientX - client.x, event.clientY - client.y) > FLICK;
    const onMove = (event: PointerEvent) => {
      if (event.buttons === 2 && moved(event)) choose(() => direction(event));
    };
    const onUp = (event: PointerEvent) => {
      if (event.button !== 2) return;
      end();
      const at = direction(event);
      if (moved(event) && at !== undefined) latest.current.run(latest.current.items[at]);
      else choose((old) => old ?? 0);
    };
    const end = () => {
      window.removeEventListener('pointermove', onMove);
      window.removeEventListener('pointerup', onUp);
    };
    window.addEventListener('pointermove', onMove);
    window.addEventListener('pointerup', onUp);
    return end;
  }, [buttonDown, client, middle, choose]);
}

/** Closes the menu at a press anywhere else. */
function useCloseOutside(element: RefObject<HTMLElement | null>): void {
  const { canvas } = useCanvasContext();
  useEffect(() => {
    const onDown = (event: PointerEvent) => {
      if (event.target instanceof Node && !element.current?.contains(event.target))
        canvas.setState({ radialMenu: undefined });
    };
    // In the capture phase: it is over for the press that opened the menu, so that press does not close it.
    window.addEventListener('pointerdown', onDown, true);
    return () => {
      window.removeEventListener('pointerdown', onDown, true);
    };
  }, [canvas, element]);
}

/** The distance from the middle of a menu to the middles of its items, in pixels. */
const RADIUS = 76;
/** The radius of an item, in pixels. */
export const ITEM_RADIUS = 22;
/** A pointer nearer to the middle than this chooses no item, in pixels. */
const DEAD_ZONE = 26;
/** Room for the text in the middle, and beside items, in pixels. */
const TEXT = { width: 96, height: 20 };

/** The positions of the items around the middle: the first above, the others clockwise. */
export function itemPositions(count: number, radius = RADIUS): Point[] {
  return Array.from({ length: count }, (_, i) => {
    const angle = (i / count) * 2 * Math.PI - Math.PI / 2;
    return { x: round(Math.cos(angle) * radius), y: round(Math.sin(angle) * radius) };
  });
}

/** The number of the item in the direction of a point from the middle; undefined near the middle. */
export function itemAt(count: number, { x, y }: Point, deadZone = DEAD_ZONE): number | undefined {
  if (count === 0 || Math.hypot(x, y) < deadZone) return undefined;
  const part = (Math.atan2(y, x) + Math.PI / 2) / (2 * Math.PI);
  return ((Math.round(part * count) % count) + count) % count;
}

/**
 * The middle of a menu: the nearest point to the wanted one at which the menu fits into the window; the middle of a
 * window that is too small.
 */
export function menuMiddle(wanted: Point, windowSize: { width: number; height: number }): Point {
  const along = (at: number, length: number, reach: number) =>
    length < 2 * reach ? length / 2 : Math.max(reach, Math.min(length - reach, at));
  return {
    x: along(wanted.x, windowSize.width, RADIUS + TEXT.width / 2 + 8),
    y: along(wanted.y, windowSize.height, RADIUS + ITEM_RADIUS + TEXT.height + 4),
  };
}

/** The number of the item that a key moves to: around the menu, or to its first or last item. */
export function itemForKey(count: number, from: number, key: string): number | undefined {
  if (key === 'ArrowRight' || key === 'ArrowDown') return (from + 1) % count;
  if (key === 'ArrowLeft' || key === 'ArrowUp') return (from - 1 + count) % count;
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : undefined;
}

const round = (n: number) => Math.round(n * 10) / 10;
