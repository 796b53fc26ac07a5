import { describe, expect, it } from 'vitest';
import { align } from './align';

const show = (left: string, right: string) => {
  const [a, b] = [left.split(''), right.split('')];
  return align(a, b).map(
    (row) =>
      `${row.left === undefined ? ' ' : (a[row.left] ?? '')}${row.differs ? '|' : '='}` +
      (row.right === undefined ? ' ' : (b[row.right] ?? '')),
  );
};

describe('align', () => {
  it.each([
    ['abc', 'abc', ['a=a', 'b=b', 'c=c']],
    ['abc', 'axc', ['a=a', 'b|x', 'c=c']],
    ['abc', 'ac', ['a=a', 'b| ', 'c=c']],
    ['ac', 'abbc', ['a=a', ' |b', ' |b', 'c=c']],
    ['abcabba', 'cbabac', ['a| ', 'b| ', 'c=c', ' |b', 'a=a', 'b=b', 'b| ', 'a=a', ' |c']],
    ['', 'a', [' |a']],
    ['', '', []],
    ['abcd', 'xbyd', ['a|x', 'b=b', 'c|y', 'd=d']],
  ])('%s and %s', (left, right, want) => {
    expect(show(left, right)).toEqual(want);
  });
  it('keeps all lines in their order, whatever they are', () => {
    let seed = 7;
    const random = (n: number) => (seed = (seed * 48271) % 2147483647) % n;
    for (let round = 0; round < 200; round++) {
      const list = () => Array.from({ length: random(30) }, () => String(random(4)));
      const [a, b] = [list(), list()];
      const rows = align(a, b);
      expect(rows.flatMap((row) => row.left ?? [])).toEqual(a.map((_, i) => i));
      expect(rows.flatMap((row) => row.right ?? [])).toEqual(b.map((_, i) => i));
      for (const { left, right, differs } of rows) if (!differs) expect(a[left!]).toBe(b[right!]);
    }
  });
  it('pairs by position if too much differs', () => {
    const lines = (name: string) =>
      Array.from({ length: 3000 }, (_, i) => (i === 1500 ? 'same' : `${name}${String(i)}`));
    const rows = align(lines('a'), lines('b'));
    expect(rows).toHaveLength(3000);
    expect(rows.filter((row) => !row.differs)).toEqual([{ left: 1500, right: 1500, differs: false }]);
  });
});
