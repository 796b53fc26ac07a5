import { useStore } from '@xyflow/react';
import { memo, type ReactNode, useState } from 'react';
import type { GraphTask, TaskGraph } from '@/graph';
import styles from './Cards.module.css';
import type { MountedCards } from './visibleWindow';
import { useSceneContext, useSceneState } from './sceneStore';
import type { Layout } from './types';

/** A card with its position in the scene; `at` is its index in the document. */
interface PlacedCard {
  task: GraphTask;
  job: string;
  x: number;
  y: number;
  at: number;
}

interface Props {
  graph: TaskGraph;
  layout: Layout;
  mounted: MountedCards;
}

/** The mounted cards, and outlines of the cards that are mounted in the next frames. */
export const Cards = memo(function Cards({ graph, layout, mounted: { cards, outlined } }: Props) {
  const [placedCardsOf] = useState(newPlacedCards);
  const placed = placedCardsOf(graph, layout);
  return (
    <>
      {outlined.length > 0 && (
        <svg className={styles.outlines} aria-hidden="true">
          <path d={outlined.map(({ x, y, width, height }) => `M${x} ${y}h${width}v${height}h${-width}z`).join('')} />
        </svg>
      )}
      {[...cards]
        .flatMap((key) => placed.get(key) ?? [])
        .sort((a, b) => a.at - b.at)
        .map((card) => (
          <MountedCard key={card.task.key} card={card} />
        ))}
    </>
  );
});

const MountedCard = memo(function MountedCard({ card: { task, job, x, y } }: { card: PlacedCard }) {
  const {
    renderer: { Card },
  } = useSceneContext();
  return (
    <div className={styles.card} style={{ left: x, top: y }} data-card={task.key}>
      <Card task={task} job={job} />
    </div>
  );
});

/**
 * Returns a function that gives the cards of a graph their positions in a layout. Unchanged cards stay the same
 * objects, so they do not render again.
 */
function newPlacedCards(): (graph: TaskGraph, layout: Layout) => ReadonlyMap<string, PlacedCard> {
  let last: { graph: TaskGraph; layout: Layout } | undefined;
  let cards = new Map<string, PlacedCard>();
  return (graph, layout) => {
    if (last?.graph === graph && last.layout === layout) return cards;
    last = { graph, layout };
    const cardsBefore = cards;
    cards = new Map();
    for (const job of graph.jobs) {
      const title = job.title ?? job.key;
      for (const task of job.tasks) {
        const box = layout.boxes.get(task.key);
        if (!box) continue;
        const { x, y } = box;
        const old = cardsBefore.get(task.key);
        const at = cards.size;
        cards.set(
          task.key,
          old?.task === task && old.job === title && old.x === x && old.y === y && old.at === at
            ? old
            : { task, job: title, x, y, at },
        );
      }
    }
    return cards;
  };
}

/** The key of the card that an element belongs to. */
export function cardOf(target: EventTarget): string | undefined {
  return target instanceof Element ? target.closest<HTMLElement>('[data-card]')?.dataset.card : undefined;
}

/**
 * The actions on the active task, otherwise on the selected one, below its card. Their size is the same at every zoom.
 */
export function CardActions({ layout }: { layout: Layout }) {
  const { actions } = useSceneContext();
  const key = useSceneState((s) =>
    s.focused && s.active !== undefined
      ? s.active
      : s.selected.size === 1
        ? s.selected.values().next().value
        : undefined,
  );
  const box = actions && key !== undefined ? layout.boxes.get(key) : undefined;
  return box && actions ? (
    <AtCard key={box.key} x={box.x} y={box.y + box.height}>
      {actions(box.key)}
    </AtCard>
  ) : null;
}

function AtCard({ x, y, children }: { x: number; y: number; children: ReactNode }) {
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

/** Whether an element is in the actions at a card, or in a menu of them, which has the same attribute. */
export function inActions(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('[data-actions]') !== null;
}

/**
 * Whether a card stays active when the focus goes to an element: to the card's actions, or to a dialog that they
 * open.
 */
export function keepsCardActive(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('[data-actions], [role="dialog"]') !== null;
}
