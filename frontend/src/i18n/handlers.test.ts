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

/** All texts of a schema, by the paths of its properties. */
function texts(schema: Node, path = ''): Record<string, object> {
  return Object.assign(
    {},
    ...Object.entries(schema.properties ?? {}).map(([name, one]) => {
      const { title, description, 'x-enum-titles': choices } = one;
      const given = { ...(title && { title }), ...(description && { description }), ...(choices && { choices }) };
      return { ...(Object.keys(given).length > 0 && { [path + name]: given }), ...texts(one, `${path}${name}.`) };
    }),
  ) as Record<string, object>;
}

describe('the texts of the handlers that HiveGo brings', () => {
  it.each(NAMES)('are those of %s', (name) => {
    expect(en[name].params).toEqual(texts(schemaOf(name)));
    // A long text is written in Go as several that are joined.
    const go = source(`executor/${name}/${name}.go`).replace(/" \+\s+"/g, '');
    expect(go).toContain(`Title: "${en[name].title}"`);
    expect(go).toContain(`Description: "${en[name].description}"`);
  });
});

describe('what a handler says of itself', () => {
  beforeEach(() => setLanguage('zh'));
  afterEach(() => setLanguage('en'));

  it.each(NAMES)('is all in the language: %s', (name) => {
    const own = texts(handlerTexts(i18next).schema(name, schemaOf(name)));
    const chinese = Object.entries(own).map(([path, words]) => [
      path,
      /[\u4e00-\u9fff]/.test((words as Node).description ?? ''),
    ]);
    expect(chinese).toEqual(Object.keys(en[name].params).map((path) => [path, true]));
  });
  it('is nothing else of the schema', () => {
    const before = schemaOf('http');
    const after = handlerTexts(i18next).schema('http', before);
    const bare = (schema: object) =>
      JSON.stringify(schema, (key, value: unknown) =>
        (['title', 'description', 'x-enum-titles'].includes(key) && typeof value !== 'object') ||
        key === 'x-enum-titles'
          ? undefined
          : value,
      );
    expect(bare(after)).toBe(bare(before));
    expect(before).toEqual(schemaOf('http'));
    expect(after.properties?.auth?.properties?.type?.['x-enum-titles']).toEqual(['用户和密码', '令牌']);
  });
  it('is kept where it is not what HiveGo’s own handler says', () => {
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
  it('is as it is shown in English', async () => {
    await setLanguage('en');
    expect(handlerTexts(i18next)).toBe(UNTRANSLATED);
  });
});
