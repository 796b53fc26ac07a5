import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readDays, writeDays } from './days';

describe('days of the month', () => {
  it.each<[string, number[] | undefined]>([
    ['1', [1]],
    ['15, 1', [1, 15]],
    ['1-5', [1, 2, 3, 4, 5]],
    ['1 2、3', [1, 2, 3]],
    ['28-31, 1', [1, 28, 29, 30, 31]],
    ['', undefined],
    ['0', undefined],
    ['32', undefined],
    ['5-1', undefined],
    ['first', undefined],
    ['1-', undefined],
  ])('%s', (text, want) => {
    expect(readDays(text)).toEqual(want);
  });
  it('reads what it writes', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 31 }), { minLength: 1 }), (days) => {
        const sorted = days.sort((a, b) => a - b);
        expect(readDays(writeDays(sorted))).toEqual(sorted);
      }),
    );
  });
});
