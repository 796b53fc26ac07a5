import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ringAt, ringMiddle, ringPlaces, ringStep, SIGN } from './ring';

describe('ringPlaces', () => {
  it('begins above and goes clockwise', () => {
    const [above, right, below, left] = ringPlaces(4, 10);
    expect([above, right, below, left]).toEqual([
      { x: 0, y: -10 },
      { x: 10, y: 0 },
      { x: 0, y: 10 },
      { x: -10, y: 0 },
    ]);
  });
  it('keeps up to eight signs apart', () => {
    for (let count = 2; count <= 8; count++) {
      const places = ringPlaces(count);
      places.forEach((p, i) => {
        places.slice(i + 1).forEach((q) => {
          expect(Math.hypot(p.x - q.x, p.y - q.y)).toBeGreaterThan(2 * SIGN);
        });
      });
    }
  });
});

describe('ringAt', () => {
  it('means the sign in whose direction the pointer is', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), fc.nat(), (count, n) => {
        const i = n % count;
        const place = ringPlaces(count)[i]!;
        expect(ringAt(count, place)).toBe(i);
        expect(ringAt(count, { x: place.x * 5, y: place.y * 5 })).toBe(i);
      }),
    );
  });
  it('means none near the middle', () => {
    expect(ringAt(6, { x: 5, y: -8 })).toBeUndefined();
    expect(ringAt(0, { x: 500, y: 0 })).toBeUndefined();
  });
});

describe('ringMiddle', () => {
  it('is where it is wanted, if there is room', () => {
    expect(ringMiddle({ x: 400, y: 300 }, { width: 800, height: 600 })).toEqual({ x: 400, y: 300 });
  });
  it('leaves nothing cut off where there is room for a ring', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 280, max: 2000 }),
        fc.integer({ min: 260, max: 2000 }),
        fc.integer(),
        fc.integer(),
        (width, height, x, y) => {
          const middle = ringMiddle({ x, y }, { width, height });
          for (const place of ringPlaces(8)) {
            expect(middle.x + place.x - SIGN).toBeGreaterThanOrEqual(0);
            expect(middle.x + place.x + SIGN).toBeLessThanOrEqual(width);
            expect(middle.y + place.y - SIGN).toBeGreaterThanOrEqual(0);
            expect(middle.y + place.y + SIGN).toBeLessThanOrEqual(height);
          }
        },
      ),
    );
  });
  it('is in the middle of too small a place', () => {
    expect(ringMiddle({ x: 0, y: 0 }, { width: 100, height: 90 })).toEqual({ x: 50, y: 45 });
  });
});

it('ringStep goes around', () => {
  expect([
    ringStep(6, 5, 'ArrowRight'),
    ringStep(6, 0, 'ArrowUp'),
    ringStep(6, 3, 'Home'),
    ringStep(6, 3, 'End'),
    ringStep(6, 3, 'x'),
  ]).toEqual([0, 5, 0, 5, undefined]);
});
