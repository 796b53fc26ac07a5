import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ITEM_RADIUS, itemAt, itemForKey, itemPositions, menuMiddle } from './RadialMenu';

describe('itemPositions', () => {
  it('starts at the top and goes clockwise', () => {
    const [above, right, below, left] = itemPositions(4, 10);
    expect([above, right, below, left]).toEqual([
      { x: 0, y: -10 },
      { x: 10, y: 0 },
      { x: 0, y: 10 },
      { x: -10, y: 0 },
    ]);
  });
  it('keeps up to eight items apart', () => {
    for (let count = 2; count <= 8; count++) {
      const positions = itemPositions(count);
      positions.forEach((p, i) => {
        positions.slice(i + 1).forEach((q) => {
          expect(Math.hypot(p.x - q.x, p.y - q.y)).toBeGreaterThan(2 * ITEM_RADIUS);
        });
      });
    }
  });
});

describe('itemAt', () => {
  it('returns the item in the direction of the pointer', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), fc.nat(), (count, n) => {
        const i = n % count;
        const position = itemPositions(count)[i]!;
        expect(itemAt(count, position)).toBe(i);
        expect(itemAt(count, { x: position.x * 5, y: position.y * 5 })).toBe(i);
      }),
    );
  });
  it('returns no item near the middle', () => {
    expect(itemAt(6, { x: 5, y: -8 })).toBeUndefined();
    expect(itemAt(0, { x: 500, y: 0 })).toBeUndefined();
  });
});

describe('menuMiddle', () => {
  it('is the wanted point if the menu fits there', () => {
    expect(menuMiddle({ x: 400, y: 300 }, { width: 800, height: 600 })).toEqual({ x: 400, y: 300 });
  });
  it('keeps all items within a window that is large enough', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 280, max: 2000 }),
        fc.integer({ min: 260, max: 2000 }),
        fc.integer(),
        fc.integer(),
        (width, height, x, y) => {
          const middle = menuMiddle({ x, y }, { width, height });
          for (const position of itemPositions(8)) {
            expect(middle.x + position.x - ITEM_RADIUS).toBeGreaterThanOrEqual(0);
            expect(middle.x + position.x + ITEM_RADIUS).toBeLessThanOrEqual(width);
            expect(middle.y + position.y - ITEM_RADIUS).toBeGreaterThanOrEqual(0);
            expect(middle.y + position.y + ITEM_RADIUS).toBeLessThanOrEqual(height);
          }
        },
      ),
    );
  });
  it('is the middle of a window that is too small', () => {
    expect(menuMiddle({ x: 0, y: 0 }, { width: 100, height: 90 })).toEqual({ x: 50, y: 45 });
  });
});

it('itemForKey goes around', () => {
  expect([
    itemForKey(6, 5, 'ArrowRight'),
    itemForKey(6, 0, 'ArrowUp'),
    itemForKey(6, 3, 'Home'),
    itemForKey(6, 3, 'End'),
    itemForKey(6, 3, 'x'),
  ]).toEqual([0, 5, 0, 5, undefined]);
});
