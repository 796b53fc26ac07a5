import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readDuration, writeDuration } from './duration';

describe('durations', () => {
  it.each<[string, string]>([
    ['30s', '30s'],
    ['90', '1m30s'],
    ['0', '0s'],
    ['10 min', '10m'],
    ['10min', '10m'],
    ['1h30m', '1h30m'],
    ['90m', '1h30m'],
    ['1.5h', '1h30m'],
    ['1,5 h', '1h30m'],
    ['2d', '2d'],
    ['2 days', '2d'],
    ['1d12h', '1d12h'],
    ['36 hours', '1d12h'],
    ['1 week', '7d'],
    ['1:30', '1m30s'],
    ['1:30:00', '1h30m'],
    ['500ms', '500ms'],
    [' 1 Hour 5 Seconds ', '1h5s'],
    ['10分钟', '10m'],
    ['1 小时 30 分', '1h30m'],
    ['2天', '2d'],
  ])('%s is %s', (text, want) => {
    expect(writeDuration(readDuration(text) ?? NaN)).toBe(want);
  });

  it.each(['', 'soon', '-5m', '10 parsecs', '1h30', 'h', '1::2', '1:70', '99999 d', '1e9', '5 m!', '12h abc'])(
    '%s is not a duration',
    (text) => {
      expect(readDuration(text)).toBeUndefined();
    },
  );

  it('reads what it writes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 36_500 * 86_400_000 }), (ms) => {
        expect(readDuration(writeDuration(ms))).toBe(ms);
      }),
    );
  });
});
