import { describe, expect, it } from 'vitest';
import { readTime, writeTime } from './clock';

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
  it.each(['', '24:00', '3:60', '3:2', 'noon', '13 pm', '0am', '3:20:61', '12345678', '-3'])('%s is none', (text) => {
    expect(readTime(text)).toBeUndefined();
  });
});
