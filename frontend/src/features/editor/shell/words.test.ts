import { describe, expect, it } from 'vitest';
import { differingWords } from './words';

const show = (before: string, after: string) =>
  differingWords(before, after).map((pieces) =>
    pieces.map(({ text, differs }) => (differs ? `[${text}]` : text)).join(''),
  );

describe('differingWords', () => {
  it.each([
    ['sum(precipitation_mm)) AS line', 'sum(precipitation)) AS line', 'sum(precipitation[_mm])) AS line', undefined],
    ['echo one', 'echo two', 'echo [one]', 'echo [two]'],
    ['a b c', 'x y z', '[a b c]', '[x y z]'],
    ['a b c d', 'a x c y d', 'a [b c] d', 'a [x c y] d'],
    ['same', 'same', 'same', 'same'],
    ['', 'new', '', '[new]'],
    ['导入 天气', '导入 航班', '导入 [天气]', '导入 [航班]'],
  ])('%s → %s', (before, after, wantBefore, wantAfter = after) => {
    expect(show(before, after)).toEqual([wantBefore, wantAfter]);
  });
});
