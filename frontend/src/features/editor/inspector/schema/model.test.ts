import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../../context';
import { choiceOf, fits, schemaForm, own, unknownParams } from './model';

const stock = (name: string) =>
  JSON.parse(readFileSync(join(process.cwd(), `executor/${name}/schema.json`), 'utf8')) as JsonSchema;
const schema = (properties: unknown, more: object = {}) => ({ type: 'object', properties, ...more }) as JsonSchema;
const only = (property: unknown) => schemaForm(schema({ one: property }))?.fields[0];

describe('the forms of the built-in handlers', () => {
  it('shell', () => {
    const form = schemaForm(stock('shell'));
    expect(form?.fields.find((f) => f.name === 'command')).toMatchObject({
      kind: 'text',
      language: 'shell',
      required: true,
      rendered: false,
      multiline: true,
    });
    expect(form?.fields.find((f) => f.name === 'interpreter')).toMatchObject({ kind: 'texts', rendered: false });
    expect(form?.fields.find((f) => f.name === 'env')).toMatchObject({
      kind: 'map',
      rendered: true,
      secrets: true,
    });
    expect(form?.fields.find((f) => f.name === 'workdir')).toMatchObject({
      kind: 'text',
      rendered: true,
      required: false,
    });
    expect(form?.open).toBe(false);
  });
  it('sql', () => {
    const form = schemaForm(stock('sql'));
    expect(form?.fields.find((f) => f.name === 'statement')).toMatchObject({
      kind: 'text',
      language: 'sql',
      rendered: false,
    });
    expect(form?.fields.find((f) => f.name === 'transaction')).toMatchObject({ kind: 'boolean', default: true });
    expect(form?.either?.map((set) => set.names)).toEqual([['statement'], ['file']]);
    const [connection, args] = ['connection', 'args'].map((name) => form?.fields.find((f) => f.name === name));
    expect(connection).toMatchObject({ kind: 'text', connection: true, rendered: true, secrets: false });
    expect(args).toMatchObject({ kind: 'texts', connection: false, rendered: true, secrets: true });
    expect(args && fits(args, ['a', 1])).toBe(false); // JSON keeps the number
  });
});

describe('the field for a schema', () => {
  it.each<[string, unknown, object]>([
    ['text', { type: 'string' }, { kind: 'text', title: 'One', multiline: false }],
    ['text or null', { type: ['string', 'null'] }, { kind: 'text' }],
    [
      'several lines',
      { type: 'string', 'x-multiline': true, examples: ['hello'] },
      { kind: 'text', multiline: true, example: 'hello' },
    ],
    ['a secret', { type: 'string', 'x-secret': true }, { kind: 'text', secret: true }],
    ['a language', { type: 'string', 'x-language': 'sql' }, { language: 'sql', multiline: true }],
    ['another language', { type: 'string', 'x-language': 'cobol' }, { language: undefined, kind: 'text' }],
    [
      'a number',
      { type: 'number', minimum: 0.5, maximum: 2, 'x-unit': 'MB', default: 1 },
      { kind: 'number', min: 0.5, max: 2, unit: 'MB', default: 1 },
    ],
    ['a whole number', { type: 'integer' }, { kind: 'number', integer: true }],
    ['yes or no', { type: 'boolean' }, { kind: 'boolean' }],
    [
      'some values',
      { enum: ['GET', 'POST'], 'x-enum-titles': ['Read'] },
      {
        kind: 'enum',
        options: [
          { value: 'GET', label: 'Read' },
          { value: 'POST', label: 'POST' },
        ],
      },
    ],
    ['values of several types', { enum: [1, 'two', true] }, { kind: 'enum' }],
    ['values that are no simple ones', { enum: [{}, []] }, { kind: 'json' }],
    ['a list of texts', { type: 'array', items: { type: 'string' } }, { kind: 'texts' }],
    ['a list of anything', { type: 'array' }, { kind: 'json' }],
    ['a list of objects', { type: 'array', items: { type: 'object' } }, { kind: 'json' }],
    ['an address', { type: 'string', 'x-render': 'url' }, { kind: 'text', rendered: true, language: undefined }],
    ['a body', { type: 'string', 'x-render': 'json' }, { rendered: true, language: 'json' }],
    [
      'a map of texts',
      { type: 'object', additionalProperties: { type: 'string', 'x-render': 'plain' } },
      { kind: 'map', rendered: true },
    ],
    ['a map of anything', { type: 'object', additionalProperties: true }, { kind: 'json' }],
    ['an object', { type: 'object', properties: { a: { type: 'string' } } }, { kind: 'object' }],
    ['two types', { type: ['string', 'number'] }, { kind: 'json' }],
    ['nothing', {}, { kind: 'json' }],
    ['a reference', { $ref: '#/$defs/a' }, { kind: 'json' }],
    ['all of', { type: 'object', allOf: [{}] }, { kind: 'json' }],
    ['a rare one', { type: 'string', 'x-advanced': true }, { advanced: true }],
    ['no schema', 5, { kind: 'json' }],
    ['null', null, { kind: 'json' }],
    [
      'hints of wrong types',
      { type: 'string', title: 7, description: [], 'x-unit': {}, 'x-secret': 'yes', examples: 'x' },
      { kind: 'text', title: 'One', description: undefined, unit: undefined, secret: false, example: undefined },
    ],
    ['an enum that is none', { type: 'string', enum: 'abc' }, { kind: 'text' }],
    ['ways of which one is no object', { oneOf: [{ properties: { a: {} } }, { type: 'string' }] }, { kind: 'json' }],
  ])('%s', (_, property, want) => {
    expect(only(property)).toMatchObject(want);
  });

  it('follows x-order, and shows the other fields after it', () => {
    const form = schemaForm(schema({ b: {}, a: {}, c: {} }, { 'x-order': ['c', 'zzz', 5, 'c', 'a'] }));
    expect(form?.fields.map((f) => f.name)).toEqual(['c', 'a', 'b']);
  });
  it('shows a required field first, even if it is marked as advanced', () => {
    expect(schemaForm(schema({ a: { 'x-advanced': true } }, { required: ['a'] }))?.fields[0]).toMatchObject({
      required: true,
      advanced: false,
    });
  });
  it.each([
    ['maxRows', 'Max rows'],
    ['max_rows', 'Max rows'],
    ['__', '__'],
    ['url', 'Url'],
  ])('%s is called %s', (name, title) => {
    expect(schemaForm(schema({ [name]: {} }))?.fields[0]?.title).toBe(title);
  });
});

describe('a choice', () => {
  const field = only({
    oneOf: [
      {
        title: 'Token',
        properties: { kind: { const: 'token' }, token: { type: 'string', 'x-secret': true } },
        required: ['kind', 'token'],
      },
      { title: 'User', properties: { user: { type: 'string' }, password: { type: 'string' } }, required: ['user'] },
    ],
  });
  it('has its alternatives, with their constant members apart', () => {
    expect(field?.kind).toBe('choice');
    expect(field?.choices?.map((c) => [c.title, c.fields.map((f) => f.name), c.fixed])).toEqual([
      ['Token', ['token'], { kind: 'token' }],
      ['User', ['user', 'password'], {}],
    ]);
  });
  it.each<[unknown, number]>([
    [undefined, 0],
    [{ kind: 'token', token: 'x' }, 0],
    [{ user: 'a' }, 1],
    [{ password: 'b' }, 0],
    ['text', 0],
  ])('%j matches alternative %i', (value, way) => {
    expect(choiceOf(field?.choices ?? [], value)).toBe(way);
  });
});

describe('hostile schemas', () => {
  it.each<[string, unknown]>([
    ['none', undefined],
    ['null', null],
    ['a text', 'x'],
    ['a list', []],
    ['empty', {}],
    ['no properties', { type: 'object', properties: {} }],
    ['properties that are a list', { properties: [1] }],
    ['far too many', schema(Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`f${String(i)}`, {}])))],
  ])('%s: no form', (_, it) => {
    expect(schemaForm(it as JsonSchema)).toBeUndefined();
  });

  it('stops at a maximum depth of nested objects', () => {
    let deep: object = { type: 'string' };
    for (let i = 0; i < 2000; i++) deep = { type: 'object', properties: { inner: deep } };
    const kinds: string[] = [];
    for (let at = only(deep); at; at = at.fields?.[0]) kinds.push(at.kind);
    expect(kinds).toEqual(['object', 'object', 'json']);
  });
  it('stops where a choice contains itself', () => {
    const way: { properties: Record<string, unknown> } = { properties: { a: { type: 'string' } } };
    way.properties.again = { oneOf: [way, { properties: { b: {} } }] };
    const count = (
      fields: readonly { fields?: readonly object[]; choices?: readonly { fields: readonly object[] }[] }[],
    ): number =>
      fields.reduce(
        (n, f) => n + 1 + count(f.fields ?? []) + (f.choices ?? []).reduce((m, c) => m + count(c.fields), 0),
        0,
      );
    expect(count([only({ oneOf: [way, way] }) ?? {}])).toBeLessThan(50);
  });
  it('handles property names that every object inherits', () => {
    const names = JSON.parse('{"__proto__": {"type": "string"}, "constructor": {"type": "number"}}') as object;
    expect(schemaForm(schema(names))?.fields.map((f) => [f.name, f.kind])).toEqual([
      ['__proto__', 'text'],
      ['constructor', 'number'],
    ]);
  });
});

describe('a value', () => {
  it.each<[string, unknown, unknown, boolean]>([
    ['nothing', { type: 'number' }, undefined, true],
    ['an expression for a number', { type: 'number' }, '${{ params.n }}', true],
    ['a list for a text', { type: 'string' }, ['a'], false],
    ['a number for a text', { type: 'string' }, 5, false],
    ['a text for yes or no', { type: 'boolean' }, 'yes', false],
    ['numbers in a list of texts', { type: 'array', items: { type: 'string' } }, ['a', 1], false],
    ['texts in a list of texts', { type: 'array', items: { type: 'string' } }, ['a'], true],
    ['a map', { type: 'object', additionalProperties: { type: 'string' } }, { a: 'b' }, true],
    ['an empty map', { type: 'object', additionalProperties: { type: 'string' } }, {}, true],
    ['a list for a map', { type: 'object', additionalProperties: { type: 'string' } }, [], false],
    ['a number in a map', { type: 'object', additionalProperties: { type: 'string' } }, { a: 1 }, false],
    ['a value that is not offered', { enum: [1, 2] }, 3, false],
    ['one that is', { enum: [1, 2] }, 2, true],
    ['a text for an object', { type: 'object', properties: { a: {} } }, 'x', false],
    ['anything for JSON', {}, 'x', true],
  ])('%s', (_, property, value, want) => {
    const field = only(property);
    expect(field && fits(field, value)).toBe(want);
  });
  it('is unknown if no field has its name', () => {
    expect(unknownParams(schemaForm(schema({ a: {} })), { a: 1, b: 2 })).toEqual(['b']);
    expect(unknownParams(undefined, { b: 2 })).toEqual([]);
  });
});

it.each(['constructor', 'toString', '__proto__'])('%s is a value only if the params have it', (name) => {
  expect(own({}, name)).toBeUndefined();
  expect(own(JSON.parse(`{"${name}":"given"}`) as Record<string, unknown>, name)).toBe('given');
});
