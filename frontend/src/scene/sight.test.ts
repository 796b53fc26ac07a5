import { describe, expect, it } from 'vitest';
import { toGraph } from '@/graph';
import { layout } from './layout';
import { nextSight, type Sight } from './sight';
import { written } from '@/graph/testing';
import { within } from './walk';

const drawing = layout(
  toGraph(written(...Array.from({ length: 60 }, (_, job) => Array.from({ length: 12 }, (__, i) => `t${job}_${i}`)))),
  { width: 1280 },
);
const screen = { width: 1280, height: 700 };
const at = (y: number, before?: Sight) => nextSight(before, drawing, { x: 0, y: -y, zoom: 1 }, screen);
const inSight = (y: number) => within(drawing, { x: 0, y, ...screen }).map(({ key }) => key);

function rested(y: number): Sight {
  let now = at(y);
  for (let frame = 0; !now.seats.settled; frame++) {
    if (frame > drawing.boxes.size) throw new Error('it never settles');
    now = at(y, now);
  }
  return now;
}

describe('nextSight', () => {
  it('has lanes and cards for all that can be seen', () => {
    for (const y of [0, 333, 4000]) {
      const { band, seats } = rested(y);
      expect(band.top).toBeLessThanOrEqual(y);
      expect(band.bottom).toBeGreaterThanOrEqual(y + screen.height);
      expect(inSight(y).filter((key) => !seats.cards.has(key))).toEqual([]);
    }
  });

  it('is the same where nothing came', () => {
    const before = rested(300);
    expect(at(301, before)).toMatchObject({ band: before.band, busy: false });
    expect(at(301, before).band).toBe(before.band);
  });

  it('lets lanes and cards come in frames of their own', () => {
    let now = rested(0);
    let frames = { lanes: 0, cards: 0 };
    for (let y = 0; y < 3000; y += 40) {
      const next = at(y, now);
      const [lanes, cards] = [next.band !== now.band, next.seats.cards !== now.seats.cards];
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
    expect([...now.seats.cards].some((key) => !inSight(0).includes(key))).toBe(true);
  });

  it('has more room where the view stands', () => {
    const before = at(200, rested(0));
    const came = (still: boolean) =>
      [...nextSight(before, drawing, { x: 0, y: -200, zoom: 1 }, screen, still).seats.cards].filter(
        (key) => !before.seats.cards.has(key),
      ).length;
    expect(came(true)).toBeGreaterThan(came(false));
  });

  it('shows where it jumps to in the next frame', () => {
    const there = at(3000, rested(0));
    expect(inSight(3000).filter((key) => !there.seats.cards.has(key))).toEqual([]);
    expect(there.band.top).toBeLessThanOrEqual(3000);
  });
});
