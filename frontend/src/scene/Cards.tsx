import { useStore } from '@xyflow/react';
import { memo, type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import type { GraphTask, TaskGraph } from '@/graph';
import styles from './Cards.module.css';
import { fadeIn, fadeOut } from './motion';
import type { MountedCards } from './visibleWindow';
import { useSceneContext, useSceneState } from './sceneStore';
import type { Box, Layout } from './types';

/** A card with its position in the scene; `at` is its index in the document. */
interface PlacedCard {
  task: GraphTask;
  job: string;
  x: number;
  y: number;
  width: number;
  at: number;
}

interface Props {
  graph: TaskGraph;
  layout: Layout;
  mounted: MountedCards;
}

/** The mounted cards, and outlines of the cards that are mounted in the next frames. */
export const Cards = memo(function Cards({ graph, layout, mounted: { cards, outlined } }: Props) {
  const [placement] = useState(() => new Placement());
  const placed = placement.next(graph, layout);
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
          <MountedCard key={card.task.key} card={card} placement={placement} />
        ))}
    </>
  );
});

interface MountedCardProps {
  card: PlacedCard;
  placement: Placement;
}

const MountedCard = memo(function MountedCard({ card: { task, job, x, y, width }, placement }: MountedCardProps) {
  const {
    renderer: { Card },
  } = useSceneContext();
  const element = useRef<HTMLDivElement>(null);
  const { key } = task;
  useLayoutEffect(() => {
    const { current } = element;
    if (!current) return undefined;
    if (placement.takeNew(key)) fadeIn(current);
    return () => {
      if (placement.isRemoved(key)) fadeOut(current);
    };
  }, [placement, key]);
  return (
    <div ref={element} className={styles.card} style={{ left: x, top: y, width }} data-card={key}>
      <Card task={task} job={job} width={width} />
    </div>
  );
});

/**
 * The positions of the cards of a graph. Unchanged cards stay the same objects, so they do not render again. It knows
 * which cards a change of the graph added and removed: only those fade, not the ones that come into sight.
 */
class Placement {
  private last?: { graph: TaskGraph; layout: Layout };
  private cards: ReadonlyMap<string, PlacedCard> = new Map();
  private added = new Set<string>();
  private removed = new Set<string>();

  /** The cards of a graph in a layout. */
  next(graph: TaskGraph, layout: Layout): ReadonlyMap<string, PlacedCard> {
    if (this.last?.graph === graph && this.last.layout === layout) return this.cards;
    const before = this.cards;
    const cards = new Map<string, PlacedCard>();
    for (const job of graph.jobs) {
      const title = job.title ?? job.key;
      for (const task of job.tasks) {
        const box = layout.boxes.get(task.key);
        if (!box) continue;
        const { x, y, width } = box;
        const old = before.get(task.key);
        const at = cards.size;
        cards.set(
          task.key,
          old?.task === task && old.job === title && isAt(old, box) && old.at === at
            ? old
            : { task, job: title, x, y, width, at },
        );
      }
    }
    if (this.last && this.last.graph !== graph) this.compare(before, cards);
    this.last = { graph, layout };
    this.cards = cards;
    return cards;
  }

  /** Notes what was added and removed. A task with another key at the same place was renamed. */
  private compare(before: ReadonlyMap<string, PlacedCard>, now: ReadonlyMap<string, PlacedCard>): void {
    const added = [...now].filter(([key]) => !before.has(key));
    const removed = [...before].filter(([key]) => !now.has(key));
    const samePlace = ([, a]: [string, PlacedCard], list: [string, PlacedCard][]) =>
      list.some(([, b]) => a.x === b.x && a.y === b.y);
    this.added = new Set(added.filter((one) => !samePlace(one, removed)).map(([key]) => key));
    this.removed = new Set(removed.filter((one) => !samePlace(one, added)).map(([key]) => key));
  }

  /** Whether a card was added by the last change; true only once. */
  takeNew(key: string): boolean {
    return this.added.delete(key);
  }

  /** Whether a card was removed by the last change. */
  isRemoved(key: string): boolean {
    return this.removed.has(key);
  }
}

/** Whether a card has the place and width of a box. */
const isAt = (card: PlacedCard, { x, y, width }: Box) => card.x === x && card.y === y && card.width === width;

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
