import { describe, expect, it } from 'vitest';
import { toGraph } from '@/graph';
import { layout } from './layout';
import { type MountedCards, MOUNTS_PER_FRAME, nextMountedCards, NONE_MOUNTED } from './visibleWindow';
import { written } from '@/graph/testing';
import type { Rect } from './types';
import { boxesIn } from './walk';

const names = (job: number) => Array.from({ length: 12 }, (_, i) => `t${job}_${i}`);
const drawing = layout(toGraph(written(...Array.from({ length: 30 }, (_, job) => names(job)))), { width: 1280 });
const top: Rect = { x: 0, y: 0, width: 1280, height: 700 };
const keys = (rect: Rect) => boxesIn(drawing, rect).map(({ key }) => key);

function settled(mounted: MountedCards, seen: Rect): MountedCards {
  let now = mounted;
  for (let frame = 0; !now.settled; frame++) {
    if (frame > drawing.boxes.size) throw new Error('it never settles');
    now = nextMountedCards(now, drawing, seen, MOUNTS_PER_FRAME.moving);
  }
  return now;
}

describe('nextSeats', () => {
  it('shows all that can be seen at once where nothing is yet', () => {
    const first = nextMountedCards(NONE_MOUNTED, drawing, top, MOUNTS_PER_FRAME.moving);
    expect([...first.cards].sort()).toEqual(keys(top).sort());
    expect(first.outlined).toEqual([]);
  });

  it('lets a few come in a frame, and outlines the others that can be seen', () => {
    const before = settled(nextMountedCards(NONE_MOUNTED, drawing, top, MOUNTS_PER_FRAME.moving), top);
    const down = { ...top, y: 500 };
    const next = nextMountedCards(before, drawing, down, MOUNTS_PER_FRAME.moving);
    const missing = keys(down).filter((key) => !before.cards.has(key));
    const come = [...next.cards].filter((key) => !before.cards.has(key));
    expect(come.length).toBeGreaterThan(0);
    expect(come.length).toBeLessThan(missing.length);
    expect(come).toHaveLength(MOUNTS_PER_FRAME.moving);
    expect(
      [...nextMountedCards(before, drawing, down, MOUNTS_PER_FRAME.still).cards].filter(
        (key) => !before.cards.has(key),
      ),
    ).toHaveLength(MOUNTS_PER_FRAME.still);
    expect([...come, ...next.outlined.map(({ key }) => key)].sort()).toEqual(missing.sort());
  });

  it('comes to rest with all that can be seen, and not with all there is', () => {
    const there = { ...top, y: 500 };
    const rest = settled(
      nextMountedCards(
        settled(nextMountedCards(NONE_MOUNTED, drawing, top, MOUNTS_PER_FRAME.moving), top),
        drawing,
        there,
        MOUNTS_PER_FRAME.moving,
      ),
      there,
    );
    expect(keys(there).filter((key) => !rest.cards.has(key))).toEqual([]);
    expect(rest.outlined).toEqual([]);
    expect(rest.cards.size).toBeLessThan(drawing.boxes.size);
    expect(nextMountedCards(rest, drawing, there, MOUNTS_PER_FRAME.moving).cards).toBe(rest.cards);
  });

  it('leaves a frame without room alone, unless nothing that can be seen is there', () => {
    const before = settled(nextMountedCards(NONE_MOUNTED, drawing, top, MOUNTS_PER_FRAME.moving), top);
    const down = { ...top, y: 500 };
    expect(nextMountedCards(before, drawing, down, 0)).toEqual({
      cards: before.cards,
      outlined: before.outlined,
      settled: false,
    });
    expect([...nextMountedCards(NONE_MOUNTED, drawing, top, 0).cards].sort()).toEqual(keys(top).sort());
  });

  it('rests where there is nothing to see', () => {
    expect(nextMountedCards(NONE_MOUNTED, drawing, { ...top, y: 1e6 }, MOUNTS_PER_FRAME.moving)).toMatchObject({
      settled: true,
    });
  });
});
