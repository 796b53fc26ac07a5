import { describe, expect, it } from 'vitest';
import { initialLanguage } from '.';

type Tree = Record<string, unknown>;

/** The texts by path. Plural forms share a path, because the languages have different forms. */
function textsByPath(tree: Tree, path = ''): Map<string, string[]> {
  const out = new Map<string, string[]>();
  for (const [key, value] of Object.entries(tree)) {
    const textPath = `${path}.${key}`;
    if (typeof value === 'string') {
      const sharedPath = textPath.replace(/_(one|other|zero|two|few|many)$/, '');
      out.set(sharedPath, [...(out.get(sharedPath) ?? []), value]);
    } else textsByPath(value as Tree, textPath).forEach((v, k) => out.set(k, v));
  }
  return out;
}

const locales = import.meta.glob<object>('./locales/*/*.json', { eager: true, import: 'default' });
/** All texts of a language by namespace. */
const textsOf = (language: string) =>
  Object.fromEntries(
    Object.entries(locales)
      .filter(([path]) => path.startsWith(`./locales/${language}/`))
      .map(([path, texts]) => [path.replace(/^.*\/|\.json$/g, ''), texts]),
  );
const [en, zh] = [textsOf('en'), textsOf('zh')];

const placeholders = (texts: string[]) =>
  [...new Set(texts.flatMap((text) => text.match(/\{\{\w+/g) ?? []))].filter((h) => h !== '{{count').sort();

describe('the two languages', () => {
  const [a, b] = [textsByPath(en as Tree), textsByPath(zh as Tree)];
  it('have the same keys', () => {
    expect([...b.keys()].sort()).toEqual([...a.keys()].sort());
  });
  it('have no empty text, and the same placeholders', () => {
    for (const [key, texts] of a) {
      expect(
        texts.every((text) => text.trim() !== ''),
        key,
      ).toBe(true);
      expect(
        b.get(key)?.every((text) => text.trim() !== ''),
        key,
      ).toBe(true);
      expect(placeholders(b.get(key) ?? []), key).toEqual(placeholders(texts));
    }
  });
  it('have both forms of an English plural', () => {
    const keys = JSON.stringify(en).match(/"\w+_(one|other)"/g) ?? [];
    const stems = new Set(keys.map((k) => k.replace(/_(one|other)"/, '')));
    for (const stem of stems) expect(keys, stem).toEqual(expect.arrayContaining([`${stem}_one"`, `${stem}_other"`]));
  });
});

const sources = import.meta.glob<string>('./locales/*/*.json', { eager: true, query: '?raw', import: 'default' });

describe('the locale files', () => {
  // JSON.parse keeps only the last one of two equal keys, so the other text is lost without an error.
  it.each(Object.keys(sources))('%s has each key once', (path) => {
    const withoutSpace = (json: string) => json.replace(/\s/g, '');
    const source = sources[path] ?? '';
    expect(withoutSpace(JSON.stringify(JSON.parse(source)))).toBe(withoutSpace(source));
  });
});

describe('initialLanguage', () => {
  it.each([
    [null, ['zh-TW', 'en'], 'zh'],
    [null, ['fr', 'de'], 'en'],
    ['en', ['zh'], 'en'],
    ['tlh', ['zh-CN'], 'zh'],
    [null, [], 'en'],
  ])('%s, %s: %s', (stored, browser, want) => {
    expect(initialLanguage(stored, browser)).toBe(want);
  });
});
