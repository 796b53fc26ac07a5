import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { itemForKey, menuPosition } from './ContextMenu';

describe('menuPosition', () => {
  it('is at the pointer if the menu fits there', () => {
    expect(menuPosition({ x: 200, y: 100 }, 9, { width: 800, height: 600 })).toEqual({ x: 204, y: 104 });
  });
  it('keeps the menu within a window that is large enough', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 440, max: 2000 }),
        fc.integer({ min: 300, max: 2000 }),
        fc.integer(),
        fc.integer(),
        (width, height, x, y) => {
          const at = menuPosition({ x, y }, 10, { width, height });
          expect(at.x).toBeGreaterThanOrEqual(0);
          expect(at.x + 424).toBeLessThanOrEqual(width);
          expect(at.y).toBeGreaterThanOrEqual(0);
          expect(at.y + 216).toBeLessThanOrEqual(height);
        },
      ),
    );
  });
});

describe('itemForKey', () => {
  it('moves along rows of two items, and around', () => {
    expect(
      (
        [
          [8, 'ArrowRight'],
          [0, 'ArrowLeft'],
          [0, 'ArrowDown'],
          [7, 'ArrowDown'],
          [8, 'ArrowDown'],
          [1, 'ArrowUp'],
          [0, 'ArrowUp'],
          [4, 'ArrowUp'],
          [3, 'Home'],
          [3, 'End'],
          [3, 'x'],
        ] as const
      ).map(([from, key]) => itemForKey(9, from, key)),
    ).toEqual([0, 8, 2, 1, 0, 7, 8, 2, 0, 8, undefined]);
  });
  it('starts at the first item while none is chosen', () => {
    expect(itemForKey(9, -1, 'ArrowDown')).toBe(0);
    expect(itemForKey(9, -1, 'ArrowRight')).toBe(0);
  });
});
