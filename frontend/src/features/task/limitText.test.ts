import { expect, it } from 'vitest';
import { limitText } from './limitText';

it.each([
  ['pool', '', 0, 0, 2, 'limit.no_pool'],
  ['pool', 'ada', 0, 1, 2, 'limit.closed.pool'],
  ['pool', 'ada', 1, 0, 2, 'limit.tooFew'],
  ['pool', 'ada', 4, 3, 2, 'limit.pool'],
  ['pool', 'ada', 4, 5, 1, 'limit.pool'],
  ['pool', 'ada', 4, 2, 2, 'limit.free'],
  ['tag', 'ada', 0, 2, 1, 'limit.closed.tag'],
  ['tag', 'ada', 3, 3, 1, 'limit.tag'],
  ['server', 'ada', 3, 2, 1, 'limit.room'],
] as const)('a %s set by %j to %i, of which %i are used, for a task that needs %i: %s', (...row) => {
  const [kind, setBy, most, used, slots, key] = row;
  expect(limitText({ kind, setBy, most, used }, slots)).toBe(key);
});
