import { describe, expect, it } from 'vitest';
import { preferred } from '.';
import en from './bundles/en';
import zh from './bundles/zh';

type Tree = Record<string, unknown>;

/** Every text by its path, plural forms folded into one: languages have different ones. */
function texts(tree: Tree, path = ''): Map<string, string[]> {
  const out = new Map<string, string[]>();
  for (const [key, value] of Object.entries(tree)) {
    const at = `${path}.${key}`;
    if (typeof value === 'string') {
      const folded = at.replace(/_(one|other|zero|two|few|many)$/, '');
      out.set(folded, [...(out.get(folded) ?? []), value]);
    } else texts(value as Tree, at).forEach((v, k) => out.set(k, v));
  }
  return out;
}

const holes = (all: string[]) =>
  [...new Set(all.flatMap((text) => text.match(/\{\{\w+/g) ?? []))].filter((h) => h !== '{{count').sort();

describe('the two languages', () => {
  const [a, b] = [texts(en as Tree), texts(zh as Tree)];
  it('have the same keys', () => {
    expect([...b.keys()].sort()).toEqual([...a.keys()].sort());
  });
  it('have no empty text, and the same values to fill in', () => {
    for (const [key, all] of a) {
      expect(
        all.every((text) => text.trim() !== ''),
        key,
      ).toBe(true);
      expect(
        b.get(key)?.every((text) => text.trim() !== ''),
        key,
      ).toBe(true);
      expect(holes(b.get(key) ?? []), key).toEqual(holes(all));
    }
  });
  it('have both forms of an English plural', () => {
    const keys = JSON.stringify(en).match(/"\w+_(one|other)"/g) ?? [];
    const stems = new Set(keys.map((k) => k.replace(/_(one|other)"/, '')));
    for (const stem of stems) expect(keys, stem).toEqual(expect.arrayContaining([`${stem}_one"`, `${stem}_other"`]));
  });
});

describe('preferred', () => {
  it.each([
    [null, ['zh-TW', 'en'], 'zh'],
    [null, ['fr', 'de'], 'en'],
    ['en', ['zh'], 'en'],
    ['tlh', ['zh-CN'], 'zh'],
    [null, [], 'en'],
  ])('%s, %s: %s', (chosen, browser, want) => {
    expect(preferred(chosen, browser)).toBe(want);
  });
});
