import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { spread } from './route';

describe('spread', () => {
  it('keeps order, distances and bounds', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -500, max: 500 }), { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 0, max: 40 }),
        (wanted, pitch) => {
          const room = pitch * (wanted.length - 1);
          const out = spread(wanted, () => pitch, -100, -100 + room + 50);
          out.forEach((x, i) => {
            expect(x).toBeGreaterThanOrEqual(-100 - 1e-6);
            expect(x).toBeLessThanOrEqual(-50 + room + 1e-6);
            expect(x - (out[i - 1] ?? -Infinity)).toBeGreaterThanOrEqual(pitch - 1e-6);
          });
        },
      ),
    );
  });
  it('puts everything at its wanted position if possible', () => {
    expect(spread([0, 50, 120], () => 40, 0, 200)).toEqual([0, 50, 120]);
  });
  it('balances conflicting positions', () => {
    expect(spread([100, 100, 100], () => 20, 0, 200)).toEqual([80, 100, 120]);
  });
});
