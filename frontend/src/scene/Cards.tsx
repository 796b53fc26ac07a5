import { memo, useState } from 'react';
import type { GraphTask, TaskGraph } from '@/graph';
import styles from './Cards.module.css';
import type { Seats } from './seats';
import { useSurroundings } from './stage';
import type { Layout } from './types';

interface Seat {
  task: GraphTask;
  job: string;
  x: number;
  y: number;
  at: number;
}

interface Props {
  graph: TaskGraph;
  layout: Layout;
  seats: Seats;
}

/** The cards that can be seen, and some around them. */
export const Cards = memo(function Cards({ graph, layout, seats: { cards, outlined } }: Props) {
  const [seatsOf] = useState(newSeats);
  const seats = seatsOf(graph, layout);
  return (
    <>
      {outlined.length > 0 && (
        <svg className={styles.outlines} aria-hidden="true">
          <path d={outlined.map(({ x, y, width, height }) => `M${x} ${y}h${width}v${height}h${-width}z`).join('')} />
        </svg>
      )}
      {[...cards]
        .flatMap((key) => seats.get(key) ?? [])
        .sort((a, b) => a.at - b.at)
        .map((seat) => (
          <Seated key={seat.task.key} seat={seat} />
        ))}
    </>
  );
});

const Seated = memo(function Seated({ seat: { task, job, x, y } }: { seat: Seat }) {
  const {
    look: { Card },
  } = useSurroundings();
  return (
    <div className={styles.seat} style={{ left: x, top: y }} data-seat={task.key}>
      <Card task={task} job={job} />
    </div>
  );
});

/** Makes the seats of a drawing: the same objects as long as a card is the same, so that it is not drawn anew. */
function newSeats(): (graph: TaskGraph, layout: Layout) => ReadonlyMap<string, Seat> {
  let seen: { graph: TaskGraph; layout: Layout } | undefined;
  let seats = new Map<string, Seat>();
  return (graph, layout) => {
    if (seen?.graph === graph && seen.layout === layout) return seats;
    seen = { graph, layout };
    const known = seats;
    seats = new Map();
    for (const job of graph.jobs) {
      const title = job.title ?? job.key;
      for (const task of job.tasks) {
        const box = layout.boxes.get(task.key);
        if (!box) continue;
        const { x, y } = box;
        const old = known.get(task.key);
        const at = seats.size;
        seats.set(
          task.key,
          old?.task === task && old.job === title && old.x === x && old.y === y && old.at === at
            ? old
            : { task, job: title, x, y, at },
        );
      }
    }
    return seats;
  };
}

/** The key of the card that an element belongs to. */
export function cardOf(target: EventTarget): string | undefined {
  return target instanceof Element ? target.closest<HTMLElement>('[data-seat]')?.dataset.seat : undefined;
}
