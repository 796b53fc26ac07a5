import { describe, expect, it } from 'vitest';
import { toGraph } from '@/graph';
import { written } from '@/graph/testing';
import { layoutGraph } from './layout';
import {
  type MountedCards,
  MOUNTS_PER_FRAME,
  nextMountedCards,
  nextVisibleWindow,
  NONE_MOUNTED,
  type VisibleWindow,
} from './visibleWindow';
import { boxesIn } from './walk';
import type { Rect } from './types';

const names = (job: number) => Array.from({ length: 12 }, (_, i) => `t${job}_${i}`);
const longDrawing = layoutGraph(toGraph(written(...Array.from({ length: 30 }, (_, job) => names(job)))), {
  width: 1280,
});
const top: Rect = { x: 0, y: 0, width: 1280, height: 700 };
const keys = (rect: Rect) => boxesIn(longDrawing, rect).map(({ key }) => key);

function untilComplete(mounted: MountedCards, visible: Rect): MountedCards {
  let now = mounted;
  for (let frame = 0; !now.complete; frame++) {
    if (frame > longDrawing.boxes.size) throw new Error('it never settles');
    now = nextMountedCards(now, longDrawing, visible, MOUNTS_PER_FRAME.moving);
  }
  return now;
}

describe('nextMountedCards', () => {
  it('mounts all visible cards at once if none is mounted', () => {
    const first = nextMountedCards(NONE_MOUNTED, longDrawing, top, MOUNTS_PER_FRAME.moving);
    expect([...first.cards].sort()).toEqual(keys(top).sort());
    expect(first.outlined).toEqual([]);
  });

  it('mounts a few cards per frame, and outlines the other visible ones', () => {
    const before = untilComplete(nextMountedCards(NONE_MOUNTED, longDrawing, top, MOUNTS_PER_FRAME.moving), top);
    const down = { ...top, y: 500 };
    const next = nextMountedCards(before, longDrawing, down, MOUNTS_PER_FRAME.moving);
    const missing = keys(down).filter((key) => !before.cards.has(key));
    const mounted = [...next.cards].filter((key) => !before.cards.has(key));
    expect(mounted.length).toBeGreaterThan(0);
    expect(mounted.length).toBeLessThan(missing.length);
    expect(mounted).toHaveLength(MOUNTS_PER_FRAME.moving);
    expect(
      [...nextMountedCards(before, longDrawing, down, MOUNTS_PER_FRAME.still).cards].filter(
        (key) => !before.cards.has(key),
      ),
    ).toHaveLength(MOUNTS_PER_FRAME.still);
    expect([...mounted, ...next.outlined.map(({ key }) => key)].sort()).toEqual(missing.sort());
  });

  it('ends with all visible cards mounted, but not all cards', () => {
    const there = { ...top, y: 500 };
    const rest = untilComplete(
      nextMountedCards(
        untilComplete(nextMountedCards(NONE_MOUNTED, longDrawing, top, MOUNTS_PER_FRAME.moving), top),
        longDrawing,
        there,
        MOUNTS_PER_FRAME.moving,
      ),
      there,
    );
    expect(keys(there).filter((key) => !rest.cards.has(key))).toEqual([]);
    expect(rest.outlined).toEqual([]);
    expect(rest.cards.size).toBeLessThan(longDrawing.boxes.size);
    expect(nextMountedCards(rest, longDrawing, there, MOUNTS_PER_FRAME.moving).cards).toBe(rest.cards);
  });

  it('changes nothing in a frame without room, unless no visible card is mounted', () => {
    const before = untilComplete(nextMountedCards(NONE_MOUNTED, longDrawing, top, MOUNTS_PER_FRAME.moving), top);
    const down = { ...top, y: 500 };
    expect(nextMountedCards(before, longDrawing, down, 0)).toEqual({
      cards: before.cards,
      outlined: before.outlined,
      complete: false,
    });
    expect([...nextMountedCards(NONE_MOUNTED, longDrawing, top, 0).cards].sort()).toEqual(keys(top).sort());
  });

  it('has nothing to mount if there are no cards', () => {
    expect(nextMountedCards(NONE_MOUNTED, longDrawing, { ...top, y: 1e6 }, MOUNTS_PER_FRAME.moving)).toMatchObject({
      complete: true,
    });
  });
});

const drawing = layoutGraph(
  toGraph(written(...Array.from({ length: 60 }, (_, job) => Array.from({ length: 12 }, (__, i) => `t${job}_${i}`)))),
  { width: 1280 },
);
const screen = { width: 1280, height: 700 };
const at = (y: number, before?: VisibleWindow) => nextVisibleWindow(before, drawing, { x: 0, y: -y, zoom: 1 }, screen);
const isVisible = (y: number) => boxesIn(drawing, { x: 0, y, ...screen }).map(({ key }) => key);

function rested(y: number): VisibleWindow {
  let now = at(y);
  for (let frame = 0; !now.mounted.complete; frame++) {
    if (frame > drawing.boxes.size) throw new Error('it never settles');
    now = at(y, now);
  }
  return now;
}

describe('nextVisibleWindow', () => {
  it('has the lanes and cards of the visible part', () => {
    for (const y of [0, 333, 4000]) {
      const { range, mounted } = rested(y);
      expect(range.top).toBeLessThanOrEqual(y);
      expect(range.bottom).toBeGreaterThanOrEqual(y + screen.height);
      expect(isVisible(y).filter((key) => !mounted.cards.has(key))).toEqual([]);
    }
  });

  it('is the same object without a change', () => {
    const before = rested(300);
    expect(at(301, before)).toMatchObject({ range: before.range, lanesMounted: false });
    expect(at(301, before).range).toBe(before.range);
  });

  it('mounts lanes and cards in different frames', () => {
    let now = rested(0);
    let frames = { lanes: 0, cards: 0 };
    for (let y = 0; y < 3000; y += 40) {
      const next = at(y, now);
      const [lanes, cards] = [next.range !== now.range, next.mounted.cards !== now.mounted.cards];
      expect(lanes && cards, `at ${String(y)}`).toBe(false);
      frames = { lanes: frames.lanes + Number(lanes), cards: frames.cards + Number(cards) };
      now = next;
    }
    expect(frames.lanes).toBeGreaterThan(5);
    expect(frames.cards).toBeGreaterThan(20);
  });

  it('mounts cards even if each frame has new lanes', () => {
    let now = rested(0);
    for (let y = 0; y < 2500; y += 300) now = at(y, now);
    expect([...now.mounted.cards].some((key) => !isVisible(0).includes(key))).toBe(true);
  });

  it('mounts more cards per frame while the view rests', () => {
    const before = at(200, rested(0));
    const countMounted = (still: boolean) =>
      [...nextVisibleWindow(before, drawing, { x: 0, y: -200, zoom: 1 }, screen, still).mounted.cards].filter(
        (key) => !before.mounted.cards.has(key),
      ).length;
    expect(countMounted(true)).toBeGreaterThan(countMounted(false));
  });

  it('shows the target of a jump in the next frame', () => {
    const there = at(3000, rested(0));
    expect(isVisible(3000).filter((key) => !there.mounted.cards.has(key))).toEqual([]);
    expect(there.range.top).toBeLessThanOrEqual(3000);
  });
});
