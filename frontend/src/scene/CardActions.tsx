import { useStore } from '@xyflow/react';
import type { ReactNode } from 'react';
import styles from './CardActions.module.css';
import { useStage, useSurroundings } from './stage';
import type { Layout } from './types';

/** What can be done with the task that the keyboard is on, else with the one that is selected: below its card, as large from afar as from near. */
export function CardActions({ layout }: { layout: Layout }) {
  const { actions } = useSurroundings();
  const key = useStage((s) =>
    s.focused && s.active !== undefined
      ? s.active
      : s.selected.size === 1
        ? s.selected.values().next().value
        : undefined,
  );
  const box = actions && key !== undefined ? layout.boxes.get(key) : undefined;
  return box && actions ? (
    <At key={box.key} x={box.x} y={box.y + box.height}>
      {actions(box.key)}
    </At>
  ) : null;
}

function At({ x, y, children }: { x: number; y: number; children: ReactNode }) {
  const zoom = useStore((s) => s.transform[2]);
  return (
    <div
      className={`${styles.actions} nopan nowheel`}
      data-actions=""
      style={{ transform: `translate(${String(x)}px, ${String(y)}px) scale(${String(1 / zoom)})` }}
    >
      {children}
    </div>
  );
}

/** Whether an element is among the actions at a card, or in a menu of theirs that is marked as one. */
export function inActions(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('[data-actions]') !== null;
}

/** Whether the keyboard stays on its card when the focus goes there: to its actions, or to the dialog that they open and come back from. */
export function staysBy(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('[data-actions], [role="dialog"]') !== null;
}
