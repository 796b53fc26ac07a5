import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Point, useSceneApi } from '@/scene';
import { useEditor } from '../context';
import { type ContextMenuState, useCanvasContext, useCanvasState } from './canvasStore';
import { type ContextMenuItem, useContextMenuItems } from './contextMenuItems';
import styles from './ContextMenu.module.css';

/** The menu of a card, a lane or the ground, at the pointer. A click, a letter or the arrow keys choose an item. */
export function ContextMenu() {
  const menu = useCanvasState((s) => s.contextMenu);
  const exists = useSubjectExists(menu);
  return menu && exists ? (
    <OpenMenu key={`${JSON.stringify(menu.subject)} ${menu.client.x} ${menu.client.y}`} menu={menu} />
  ) : null;
}

/** Whether the task or job of a menu is still in the document. */
function useSubjectExists(menu: ContextMenuState | undefined): boolean {
  const { store } = useEditor();
  if (!menu || 'ground' in menu.subject) return menu !== undefined;
  const { doc } = store.getState();
  const { subject } = menu;
  return doc.jobs.some((job) =>
    'job' in subject ? job.key === subject.job : job.tasks?.some((task) => task.key === subject.task),
  );
}

function OpenMenu({ menu }: { menu: ContextMenuState }) {
  const { t } = useTranslation('canvas');
  const { canvas } = useCanvasContext();
  const { root } = useSceneApi();
  const items = useContextMenuItems(menu);
  const [at] = useState(() =>
    menuPosition(menu.client, items.length, { width: window.innerWidth, height: window.innerHeight }),
  );
  const [chosen, setChosen] = useState<number | undefined>(menu.buttonDown ? undefined : 0);
  const element = useRef<HTMLDivElement>(null);
  const close = () => {
    canvas.setState({ contextMenu: undefined });
    root.current?.focus({ preventScroll: true });
  };
  const run = (item: ContextMenuItem | undefined) => {
    if (!item || item.disabled) return;
    close();
    item.act();
  };
  useEffect(() => {
    if (chosen === undefined) element.current?.focus({ preventScroll: true });
    else element.current?.querySelectorAll<HTMLElement>('[role="menuitem"]')[chosen]?.focus({ preventScroll: true });
  }, [chosen]);
  useRelease(menu, items, run);
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
      style={{ left: at.x, top: at.y, width: Math.min(WIDTH, window.innerWidth - 2 * MARGIN) }}
      role="menu"
      tabIndex={-1}
      data-own=""
      data-context-menu=""
      aria-label={name === undefined ? t('menu.ground') : t('menu.name', { name })}
      onKeyDown={onKeyDown}
      onContextMenu={(event) => {
        event.preventDefault();
      }}
    >
      {name !== undefined && (
        <p className={styles.head} aria-hidden="true">
          {name}
        </p>
      )}
      <Items items={items} chosen={chosen} onChoose={setChosen} onRun={run} />
    </div>
  );
}

interface ItemsProps {
  items: readonly ContextMenuItem[];
  chosen: number | undefined;
  onChoose: (index: number) => void;
  onRun: (item: ContextMenuItem) => void;
}

function Items({ items, chosen, onChoose, onRun }: ItemsProps) {
  return items.map((item, i) => (
    <button
      key={item.letter}
      type="button"
      role="menuitem"
      tabIndex={i === chosen ? 0 : -1}
      aria-disabled={item.disabled || undefined}
      aria-keyshortcuts={item.letter}
      className={styles.item}
      data-item={item.letter}
      data-danger={item.danger || undefined}
      data-chosen={i === chosen || undefined}
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
      <span>{item.label}</span>
      <kbd aria-hidden="true">{item.letter.toUpperCase()}</kbd>
    </button>
  ));
}

/**
 * While the button that opened the menu is still down, releasing it over an item runs the item. Released elsewhere, the
 * menu stays open. So it does if the pointer has hardly moved: near an edge of the window, the menu opens below it.
 */
function useRelease(
  { buttonDown, client }: ContextMenuState,
  items: readonly ContextMenuItem[],
  run: (item: ContextMenuItem | undefined) => void,
): void {
  const latest = useRef({ items, run });
  useEffect(() => {
    latest.current = { items, run };
  });
  useEffect(() => {
    if (!buttonDown) return undefined;
    const onUp = (event: PointerEvent) => {
      if (event.button !== 2) return;
      window.removeEventListener('pointerup', onUp);
      if (Math.hypot(event.clientX - client.x, event.clientY - client.y) < LEAST_MOVE) return;
      const target = document.elementFromPoint(event.clientX, event.clientY);
      const letter = target?.closest<HTMLElement>('[data-item]')?.dataset.item;
      if (letter !== undefined) latest.current.run(latest.current.items.find((item) => item.letter === letter));
    };
    // The press itself would focus what lies below the pointer.
    const onMouseDown = (event: MouseEvent) => {
      event.preventDefault();
    };
    window.addEventListener('mousedown', onMouseDown, { capture: true, once: true });
    window.addEventListener('pointerup', onUp);
    return () => {
      window.removeEventListener('mousedown', onMouseDown, true);
      window.removeEventListener('pointerup', onUp);
    };
  }, [buttonDown, client]);
}

/** Closes the menu at a press anywhere else. */
function useCloseOutside(element: RefObject<HTMLElement | null>): void {
  const { canvas } = useCanvasContext();
  useEffect(() => {
    const onDown = (event: PointerEvent) => {
      if (event.target instanceof Node && !element.current?.contains(event.target))
        canvas.setState({ contextMenu: undefined });
    };
    // In the capture phase: it is over for the press that opened the menu, so that press does not close it.
    window.addEventListener('pointerdown', onDown, true);
    return () => {
      window.removeEventListener('pointerdown', onDown, true);
    };
  }, [canvas, element]);
}

/** The number of columns. */
const COLUMNS = 2;
/** The size of the menu in pixels: its width, the height of a row, and the height of everything else. */
const [WIDTH, ROW, FRAME] = [424, 34, 46];
/** The least distance to the edges of the window, and the distance to the pointer, in pixels. */
const [MARGIN, BESIDE] = [8, 4];
/** How far the pointer moves at least, in pixels, before a release chooses an item. */
const LEAST_MOVE = 6;

/**
 * The top left corner of a menu: right below the pointer, but so that the menu is within the window, if it is large
 * enough.
 */
export function menuPosition(pointer: Point, count: number, windowSize: { width: number; height: number }): Point {
  const height = FRAME + Math.ceil(count / COLUMNS) * ROW;
  const within = (at: number, size: number, room: number) => Math.max(MARGIN, Math.min(room - size - MARGIN, at));
  return {
    x: within(pointer.x + BESIDE, Math.min(WIDTH, windowSize.width - 2 * MARGIN), windowSize.width),
    y: within(pointer.y + BESIDE, height, windowSize.height),
  };
}

/** The number of the item that a key moves to, in rows of two items, or to the first or last item. */
export function itemForKey(count: number, from: number, key: string): number | undefined {
  switch (key) {
    case 'ArrowRight':
      return (from + 1) % count;
    case 'ArrowLeft':
      return (Math.max(from, 0) - 1 + count) % count;
    case 'ArrowDown':
      return below(count, from);
    case 'ArrowUp':
      return above(count, Math.max(from, 0));
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return undefined;
  }
}

/** The item below one; below the last row it is the first item of the same column. */
function below(count: number, from: number): number {
  if (from < 0) return 0;
  return from + COLUMNS < count ? from + COLUMNS : from % COLUMNS;
}

/** The item above one; above the first row it is the last item of the same column. */
function above(count: number, from: number): number {
  if (from >= COLUMNS) return from - COLUMNS;
  return count - 1 - ((count - 1 - from) % COLUMNS);
}
