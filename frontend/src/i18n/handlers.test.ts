import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import i18next from 'i18next';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { setLanguage } from '.';
import { UNTRANSLATED, handlerTexts } from './handlers';
import en from './locales/en/handlers.json';

interface Node {
  title?: string;
  description?: string;
  'x-enum-titles'?: string[];
  properties?: Record<string, Node>;
}
type Name = keyof typeof en;
const NAMES = Object.keys(en) as Name[];
const source = (path: string) => readFileSync(join(process.cwd(), path), 'utf8');
const schemaOf = (name: string) => JSON.parse(source(`executor/${name}/schema.json`)) as Node;

/** The texts of a schema, by the paths of its properties. */
function textsByPath(schema: Node, path = ''): Record<string, object> {
  return Object.assign(
    {},
    ...Object.entries(schema.properties ?? {}).map(([name, property]) => {
      const { title, description, 'x-enum-titles': choices } = property;
      const texts = { ...(title && { title }), ...(description && { description }), ...(choices && { choices }) };
      return {
        ...(Object.keys(texts).length > 0 && { [path + name]: texts }),
        ...textsByPath(property, `${path}${name}.`),
      };
    }),
  ) as Record<string, object>;
}

describe('the English texts of the stock handlers', () => {
  it.each(NAMES)('equal the texts of the handler %s', (name) => {
    expect(en[name].params).toEqual(textsByPath(schemaOf(name)));
    // Go source joins long texts from several literals.
    const go = source(`executor/${name}/${name}.go`).replace(/" \+\s+"/g, '');
    expect(go).toContain(`Title: "${en[name].title}"`);
    expect(go).toContain(`Description: "${en[name].description}"`);
  });
});

describe('the translation of a handler', () => {
  beforeEach(() => setLanguage('zh'));
  afterEach(() => setLanguage('en'));

  it.each(NAMES)('covers all texts of %s', (name) => {
    const translated = textsByPath(handlerTexts(i18next).schema(name, schemaOf(name)));
    const chinese = Object.entries(translated).map(([path, text]) => [
      path,
      /[\u4e00-\u9fff]/.test((text as Node).description ?? ''),
    ]);
    expect(chinese).toEqual(Object.keys(en[name].params).map((path) => [path, true]));
  });
  it('changes nothing else in the schema', () => {
    const before = schemaOf('http');
    const after = handlerTexts(i18next).schema('http', before);
    const withoutTexts = (schema: object) =>
      JSON.stringify(schema, (key, value: unknown) =>
        (['title', 'description', 'x-enum-titles'].includes(key) && typeof value !== 'object') ||
        key === 'x-enum-titles'
          ? undefined
          : value,
      );
    expect(withoutTexts(after)).toBe(withoutTexts(before));
    expect(before).toEqual(schemaOf('http'));
    expect(after.properties?.auth?.properties?.type?.['x-enum-titles']).toEqual(['用户和密码', '令牌']);
  });
  it('keeps texts that differ from the texts of HiveGo’s handler', () => {
    const { schema, handler } = handlerTexts(i18next);
    const foreign = {
      properties: { command: { title: 'Command', description: 'Mine' }, constructor: { title: 'Command' }, odd: 5 },
    };
    expect(schema('shell', foreign)).toEqual({
      properties: { command: { title: '命令', description: 'Mine' }, constructor: { title: 'Command' }, odd: 5 },
    });
    expect(schema('mine', foreign)).toBe(foreign);
    expect(schema('constructor', foreign)).toBe(foreign);
    expect(handler({ name: 'shell', title: 'Shell', description: en.shell.description }).description).toContain(
      '运行脚本',
    );
    expect(handler({ name: 'shell', description: 'Mine' })).toEqual({ name: 'shell', description: 'Mine' });
  });
  it('does nothing in English', async () => {
    await setLanguage('en');
    expect(handlerTexts(i18next)).toBe(UNTRANSLATED);
  });
});
