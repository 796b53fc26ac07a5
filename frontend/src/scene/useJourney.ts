import { useLayoutEffect, useState } from 'react';
import { edgeKey } from '@/graph';
import type { VisibleRange } from './camera';
import { easeOut, pointsBetween, type Travel, TRAVEL, travelBetween } from './travel';
import type { Edge, Layout, Point } from './types';

/** The edges of an edited graph on their way to the next layout. */
export class Journey {
  private part = 0;
  private readonly listeners = new Set<() => void>();

  constructor(readonly travel: Travel) {}

  /** The points at which an edge of the next layout is drawn now. */
  pointsOf(edge: Edge): readonly Point[] {
    const from = this.travel.moving.get(edgeKey(edge.from, edge.to));
    return from ? pointsBetween(from, edge.points, this.part) : edge.points;
  }

  /** Calls the listener at each step, until the returned function is called. */
  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }

  /** Goes to a time in milliseconds after the start. */
  goTo(time: number): void {
    this.part = easeOut(time / TRAVEL);
    for (const listener of this.listeners) listener();
  }
}

/** The journey of the edges from the layout before to this one, while it lasts. Nothing travels unless `travels`. */
export function useJourney(layout: Layout, range: VisibleRange, travels: boolean): Journey | undefined {
  const [now, setNow] = useState<{ layout: Layout; journey?: Journey }>({ layout });
  if (now.layout !== layout) {
    const { journey } = now;
    const travel =
      travels && !window.matchMedia('(prefers-reduced-motion: reduce)').matches
        ? travelBetween(now.layout, layout, range, (edge) => journey?.pointsOf(edge) ?? edge.points)
        : undefined;
    setNow({ layout, journey: travel && new Journey(travel) });
  }
  const { journey } = now;
  useLayoutEffect(() => {
    if (!journey) return undefined;
    let begun: number | undefined;
    const step = (time: number) => {
      begun ??= time;
      journey.goTo(time - begun);
      if (time - begun < TRAVEL) frame = requestAnimationFrame(step);
      else setNow((latest) => (latest.journey === journey ? { layout: latest.layout } : latest));
    };
    let frame = requestAnimationFrame(step);
    return () => {
      cancelAnimationFrame(frame);
    };
  }, [journey]);
  return journey;
}
