import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LAST_DAY } from '@/cron';
import { readDays, readTime, writeDays, writeTime } from './Times';

describe('times of day', () => {
  it.each<[string, string]>([
    ['03:20', '03:20'],
    ['3:20', '03:20'],
    ['3', '03:00'],
    ['15', '15:00'],
    ['320', '03:20'],
    ['0320', '03:20'],
    ['03:20:15', '03:20:15'],
    ['3 pm', '15:00'],
    ['12am', '00:00'],
    ['12:30 PM', '12:30'],
    ['3.20', '03:20'],
    ['3：20', '03:20'],
    ['23:59:59', '23:59:59'],
    ['0', '00:00'],
  ])('%s is %s', (text, want) => {
    const time = readTime(text);
    expect(time && writeTime(time)).toBe(want);
  });
  it.each(['', '24:00', '3:60', '3:2', 'noon', '13 pm', '0am', '3:20:61', '12345678', '-3'])(
    '%s is not a time',
    (text) => {
      expect(readTime(text)).toBeUndefined();
    },
  );
});

describe('days of the month', () => {
  it.each<[string, number[] | undefined]>([
    ['1', [1]],
    ['15, 1', [1, 15]],
    ['1-5', [1, 2, 3, 4, 5]],
    ['1 2、3', [1, 2, 3]],
    ['28-31, 1', [1, 28, 29, 30, 31]],
    ['L', [LAST_DAY]],
    ['15, l', [15, LAST_DAY]],
    ['30-31, L', [30, 31, LAST_DAY]],
    ['L-1', undefined],
    ['', undefined],
    ['0', undefined],
    ['32', undefined],
    ['5-1', undefined],
    ['first', undefined],
    ['1-', undefined],
  ])('%s', (text, want) => {
    expect(readDays(text)).toEqual(want);
  });
  it('reads its own output', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 1, max: LAST_DAY }), { minLength: 1 }), (days) => {
        const sorted = days.sort((a, b) => a - b);
        expect(readDays(writeDays(sorted))).toEqual(sorted);
      }),
    );
  });
});
