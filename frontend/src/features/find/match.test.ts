import { describe, expect, it } from 'vitest';
import { scoreOf, searchTexts } from './match';

/** Those of the names that a query finds, the best first. */
const found = (query: string, names: readonly string[]) =>
  names
    .map((name) => ({ name, score: scoreOf(query, searchTexts(name)) }))
    .filter((one) => one.score !== undefined)
    .sort((a, b) => (b.score ?? 0) - (a.score ?? 0))
    .map(({ name }) => name);

describe('scoreOf', () => {
  it.each<[string, string[], string[]]>([
    ['load', ['reload', 'orders-load', 'load', 'load-all', 'other'], ['load', 'load-all', 'orders-load', 'reload']],
    ['LOAD', ['Load orders', 'x'], ['Load orders']],
    ['ol', ['tool', 'orders-load', 'oval'], ['tool', 'orders-load', 'oval']],
    ['odl', ['orders-load', 'outdoor-lamp', 'lod'], ['orders-load', 'outdoor-lamp']],
    ['orders load', ['old-load-orders', 'orders', 'orders-load'], ['orders-load', 'old-load-orders']],
    ['cktb', ['仓库同步', '仓库', '同步'], ['仓库同步']],
    ['ck', ['仓库同步', '仓库', 'x'], ['仓库', '仓库同步']],
    ['同步', ['仓库同步', '同步', 'x'], ['同步', '仓库同步']],
    ['', ['a', 'b'], ['a', 'b']],
    ['   ', ['a'], ['a']],
    ['ba', ['ab'], []],
  ])('%s in %j: %j', (query, names, want) => {
    expect(found(query, names)).toEqual(want);
  });
  it('prefers the shorter of equal texts', () => {
    expect(found('or', ['orders-late', 'orders'])).toEqual(['orders', 'orders-late']);
  });
  it('finds each word in any of the texts', () => {
    const texts = searchTexts('warehouse', '仓库同步');
    expect(scoreOf('ware cktb', texts)).toBeGreaterThan(100);
    expect(scoreOf('ware absent', texts)).toBeUndefined();
  });
});

describe('searchTexts', () => {
  it('leaves out what is missing, and adds pinyin only for Chinese', () => {
    expect(searchTexts('Orders', undefined, '', '仓库')).toEqual(['orders', '仓库', 'ck']);
  });
});
