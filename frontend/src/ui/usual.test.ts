import { expect, test } from 'vitest';
import { isSlow } from './usual';

test.each([
  ['as usual', 38_000, 45_000, false],
  ['beyond most, by less than its text shows', 45_999, 45_000, false],
  ['beyond most', 46_000, 45_000, true],
  ['nothing to compare with', 999_000, undefined, false],
])('%s', (_, ms, most, slow) => {
  expect(isSlow(ms, { begin: 0, took: 38_000, most })).toBe(slow);
});

test('a task that never ran before is not slow', () => {
  expect(isSlow(1, undefined)).toBe(false);
});
