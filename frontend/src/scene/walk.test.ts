import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toGraph } from '@/graph';
import {
  afterEdit,
  bounds,
  clamp,
  fitAll,
  uncovered,
  leastZoom,
  openingView,
  pushedDown,
  READABLE,
  reveal,
  visibleRect,
} from './camera';
import { layoutGraph } from './layout';
import { anyDefinition, written } from '@/graph/testing';
import { boxAt, rowsOf, type Step, cardAfterStep, boxesIn } from './walk';

const graph = toGraph(written(['a', 'b', 'c'], [], ['d: a b c'], ['e: d', 'f: d a']));
const drawn = layoutGraph(graph, { width: 1280 });

describe('step', () => {
  it.each<[string | undefined, Step, string]>([
    [undefined, 'right', 'a'],
    ['gone', 'down', 'a'],
    ['a', 'right', 'b'],
    ['b', 'left', 'a'],
    ['a', 'left', 'a'],
    ['c', 'right', 'c'],
    ['a', 'down', 'd'],
    ['d', 'up', 'b'],
    ['a', 'up', 'a'],
    ['e', 'down', 'e'],
    ['c', 'first', 'a'],
    ['a', 'last', 'f'],
    ['f', 'needs', 'd'],
    ['d', 'dependents', 'e'],
    ['e', 'dependents', 'e'],
    ['a', 'needs', 'a'],
  ])('from %s %s: %s', (from, to, want) => {
    expect(cardAfterStep(graph, drawn, from, to)).toBe(want);
  });

  it('reaches every card with the arrows alone', () => {
    fc.assert(
      fc.property(anyDefinition({ jobs: 6, tasks: 9 }), fc.constantFrom(390, 872, 1280), (definition, width) => {
        const some = toGraph(definition);
        const all = layoutGraph(some, { width });
        const first = cardAfterStep(some, all, undefined, 'first');
        const reached = new Set(first === undefined ? [] : [first]);
        for (const key of reached)
          for (const to of ['left', 'right', 'up', 'down'] as const)
            reached.add(cardAfterStep(some, all, key, to) ?? key);
        expect(reached.size).toBe(all.boxes.size);
      }),
    );
  });
});

describe('boxAt', () => {
  it('finds the card at a point, at its edges too, and none beside it', () => {
    for (const box of drawn.boxes.values()) {
      expect(boxAt(drawn, { x: box.x + 1, y: box.y + 1 })?.key).toBe(box.key);
      expect(boxAt(drawn, { x: box.x + box.width, y: box.y + box.height })?.key).toBe(box.key);
      expect(boxAt(drawn, { x: box.x - 1, y: box.y })).not.toBe(box);
      expect(boxAt(drawn, { x: box.x, y: box.y - 1 })).toBeUndefined();
    }
  });
});

describe('boxesIn', () => {
  it('finds the cards that touch a rectangle', () => {
    expect(boxesIn(drawn, { x: 0, y: 0, width: drawn.width, height: drawn.height }).length).toBe(6);
    const d = drawn.boxes.get('d');
    expect(d && boxesIn(drawn, d).map((box) => box.key)).toEqual(['d']);
    expect(boxesIn(drawn, { x: 0, y: 0, width: 20, height: 20 })).toEqual([]);
  });
});

describe('rowsOf', () => {
  it('sorts rows from top to bottom, and the cards of each from left to right', () => {
    expect(rowsOf(drawn).map((row) => row.map((box) => box.key))).toEqual([['a', 'b', 'c'], ['d'], ['e', 'f']]);
  });
});

describe('the view', () => {
  const sizes = fc.record({ width: fc.integer({ min: 300, max: 2000 }), height: fc.integer({ min: 200, max: 1200 }) });
  const scenes = fc
    .tuple(anyDefinition({ jobs: 10, tasks: 30 }).map(toGraph), sizes)
    .map(([some, size]) => ({ size, all: layoutGraph(some, { width: size.width * 1.5 }) }));

  it('opens at a readable zoom', () => {
    fc.assert(
      fc.property(scenes, ({ all, size }) => {
        const view = openingView(all, size);
        expect(view.zoom).toBeGreaterThanOrEqual(READABLE);
        expect(view.zoom).toBeLessThanOrEqual(1);
        const { x, y } = visibleRect(view, size);
        const lane = all.lanes[0];
        expect(lane && y <= lane.y && x <= lane.x + lane.width).toBe(true);
      }),
    );
  });

  it('shows the whole card of the focus key', () => {
    fc.assert(
      fc.property(scenes, fc.nat(), ({ all, size }, nth) => {
        const boxes = [...all.boxes.values()];
        const box = boxes[nth % Math.max(1, boxes.length)];
        if (!box) return;
        const { x, y, width, height } = visibleRect(openingView(all, size, box.key), size);
        expect(box.x >= x && box.y >= y && box.x + box.width <= x + width && box.y + box.height <= y + height).toBe(
          true,
        );
      }),
    );
  });

  it('stays if the card is visible already', () => {
    const size = { width: 1280, height: 720 };
    const view = openingView(drawn, size);
    const box = drawn.boxes.get('d');
    expect(box && reveal(view, box, drawn, size)).toBe(view);
  });

  it('never leaves the drawing', () => {
    fc.assert(
      fc.property(
        scenes,
        fc.integer({ min: -9000, max: 9000 }),
        fc.integer({ min: -9000, max: 9000 }),
        ({ all, size }, x, y) => {
          const rect = visibleRect(clamp({ x, y, zoom: 1 }, all, size), size);
          const [[left, top], [right, bottom]] = bounds(all, size);
          expect(rect.x + rect.width).toBeLessThanOrEqual(right + size.width / 2);
          expect(rect.y).toBeGreaterThanOrEqual(top);
          expect(rect.y + rect.height).toBeLessThanOrEqual(bottom);
          expect(rect.x).toBeGreaterThanOrEqual(left - size.width / 2);
        },
      ),
    );
  });

  it('moves sideways for a covered card, and back after that', () => {
    const size = { width: 1280, height: 720 };
    const wide = layoutGraph(toGraph(written(['a', 'b', 'c', 'd'])), { width: size.width });
    const view = openingView(wide, size);
    const [left, right] = [wide.boxes.get('a'), wide.boxes.get('d')];
    if (!left || !right) throw new Error('no boxes');
    expect(reveal(view, left, wide, size, 408)).toBe(view);
    const moved = reveal(view, right, wide, size, 408);
    expect(moved).toMatchObject({ y: view.y, zoom: view.zoom });
    expect((right.x + right.width) * moved.zoom + moved.x).toBeLessThanOrEqual(872);
    expect(clamp(moved, wide, size)).toEqual(view);
  });

  it('shows the card of the focus key beside the cover', () => {
    fc.assert(
      fc.property(scenes, fc.nat(), ({ all, size }, nth) => {
        const boxes = [...all.boxes.values()];
        const box = boxes[nth % Math.max(1, boxes.length)];
        const covered = Math.max(0, size.width - 300);
        if (!box) return;
        const view = openingView(all, size, box.key, covered);
        expect(box.x * view.zoom + view.x).toBeGreaterThanOrEqual(-0.01);
        expect((box.x + box.width) * view.zoom + view.x).toBeLessThanOrEqual(size.width - covered + 0.01);
      }),
    );
  });

  it('opens below a cover at the top, and stays when that disappears', () => {
    fc.assert(
      fc.property(scenes, fc.integer({ min: 1, max: 150 }), ({ all, size }, above) => {
        const view = openingView(all, size, undefined, 0, above);
        expect(view.y).toBe(above);
        expect(clamp(view, all, size, 0, above)).toEqual(view);
        const fit = fitAll(all, size, above);
        expect(fit).toMatchObject({ y: above, zoom: leastZoom(all, uncovered(size, 0, above)) });
        const [[, top]] = bounds(all, size, 0, above);
        expect(visibleRect(view, size).y).toBeGreaterThanOrEqual(top);
        expect(afterEdit(view, all, all, size)).toMatchObject({ y: above });
      }),
    );
  });

  it('moves down only if cards of its top are covered', () => {
    const view = openingView(drawn, { width: 1280, height: 720 });
    const top = Math.min(...[...drawn.boxes.values()].map((box) => box.y)) * view.zoom;
    expect(pushedDown(view, drawn, Math.floor(top))).toBe(view);
    expect(pushedDown(view, drawn, top + 20)).toEqual({ ...view, y: top + 20 });
    const scrolled = { ...view, y: -100 };
    expect(pushedDown(scrolled, drawn, top + 20)).toBe(scrolled);
  });

  it('does not move when its top is covered, and can move cards out from under it', () => {
    const size = { width: 1280, height: 720 };
    const view = openingView(drawn, size);
    const [first, last] = [drawn.boxes.get('a'), drawn.boxes.get('f')];
    if (!first || !last) throw new Error('no boxes');
    expect(clamp(view, drawn, size, 0, 40)).toEqual(view);
    expect(reveal(view, last, drawn, size, 0, 40)).toBe(view);
    const moved = reveal(view, first, drawn, size, 0, 40);
    expect(moved).toMatchObject({ x: view.x, zoom: view.zoom, y: 40 });
    expect(reveal(moved, first, drawn, size, 0, 40)).toBe(moved);
  });

  it('can show the whole drawing', () => {
    fc.assert(
      fc.property(scenes, ({ all, size }) => {
        const rect = visibleRect(fitAll(all, size), size);
        expect(fitAll(all, size).zoom).toBe(leastZoom(all, size));
        expect(rect.width >= all.width - 0.01 && rect.height >= all.height - 0.01).toBe(true);
      }),
    );
  });
});
