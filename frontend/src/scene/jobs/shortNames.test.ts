import { describe, expect, it } from 'vitest';
import { toGraph } from '@/graph';
import { written } from '@/graph/testing';
import { cutName, shortNames } from './shortNames';

describe('shortNames', () => {
  it('leaves out the words that all tasks of a job begin with', () => {
    const names = shortNames(toGraph(written(['load_us_1', 'load_us_2', 'load_uk_1'], ['merge'], ['a_1', 'a_1x'])));
    expect(Object.fromEntries(names)).toEqual({
      load_us_1: 'us_1',
      load_us_2: 'us_2',
      load_uk_1: 'uk_1',
      merge: 'merge',
      a_1: '1',
      a_1x: '1x',
    });
  });
});

describe('cutName', () => {
  it('keeps a number at the end, or else the beginning', () => {
    expect(cutName('us_1', 8)).toBe('us_1');
    expect(cutName('products_0117', 8)).toBe('…ts_0117');
    expect(cutName('products', 5)).toBe('prod…');
    expect(cutName('products', 2)).toBe('');
  });
});
