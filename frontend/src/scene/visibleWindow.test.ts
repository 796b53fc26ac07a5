import { describe, expect, it } from 'vitest';
import { toGraph } from '@/graph';
import { layout } from './layout';
import { nextVisibleWindow, type VisibleWindow } from './visibleWindow';
import { written } from '@/graph/testing';
import { boxesIn } from './walk';

const drawing = layout(
  toGraph(written(...Array.from({ length: 60 }, (_, job) => Array.from({ length: 12 }, (__, i) => `t${job}_${i}`)))),
  { width: 1280 },
);
const screen = { width: 1280, height: 700 };
const at = (y: number, before?: VisibleWindow) => nextVisibleWindow(before, drawing, { x: 0, y: -y, zoom: 1 }, screen);
const isVisible = (y: number) => boxesIn(drawing, { x: 0, y, ...screen }).map(({ key }) => key);

function rested(y: number): VisibleWindow {
  let now = at(y);
  for (let frame = 0; !now.mounted.settled; frame++) {
    if (frame > drawing.boxes.size) throw new Error('it never settles');
    now = at(y, now);
  }
  return now;
}

describe('nextSight', () => {
  it('has lanes and cards for all that can be seen', () => {
    for (const y of [0, 333, 4000]) {
      const { range, mounted } = rested(y);
      expect(range.top).toBeLessThanOrEqual(y);
      expect(range.bottom).toBeGreaterThanOrEqual(y + screen.height);
      expect(isVisible(y).filter((key) => !mounted.cards.has(key))).toEqual([]);
    }
  });

  it('is the same where nothing came', () => {
    const before = rested(300);
    expect(at(301, before)).toMatchObject({ range: before.range, lanesCame: false });
    expect(at(301, before).range).toBe(before.range);
  });

  it('lets lanes and cards come in frames of their own', () => {
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

  it('does not starve the cards of a view that brings lanes in every frame', () => {
    let now = rested(0);
    for (let y = 0; y < 2500; y += 300) now = at(y, now);
    expect([...now.mounted.cards].some((key) => !isVisible(0).includes(key))).toBe(true);
  });

  it('has more room where the view stands', () => {
    const before = at(200, rested(0));
    const came = (still: boolean) =>
      [...nextVisibleWindow(before, drawing, { x: 0, y: -200, zoom: 1 }, screen, still).mounted.cards].filter(
        (key) => !before.mounted.cards.has(key),
      ).length;
    expect(came(true)).toBeGreaterThan(came(false));
  });

  it('shows where it jumps to in the next frame', () => {
    const there = at(3000, rested(0));
    expect(isVisible(3000).filter((key) => !there.mounted.cards.has(key))).toEqual([]);
    expect(there.range.top).toBeLessThanOrEqual(3000);
  });
});
