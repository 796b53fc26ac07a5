import { describe, expect, it } from 'vitest';
import schema from '../../../../../server/document/schema.json';
import { DOC, SHELL } from '../inspector/testing';
import { type Known, offersAt } from './offers';
import { placeAt } from './place';
import { type Schema } from './schema';

const SQL = {
  name: 'sql',
  groups: { dw: 1 },
  schema: {
    type: 'object',
    required: ['connection'],
    properties: {
      connection: { type: 'string', 'x-connection': true },
      mode: { enum: ['query', 'execute'], default: 'query', description: 'What it does' },
      args: { type: 'array', items: { type: 'string' } },
    },
  },
} as const;
const known: Known = {
  schema: schema as unknown as Schema,
  doc: DOC,
  handlers: [SHELL, SQL as never],
  calendars: ['china', '2026'],
  connections: ['dw'],
  pools: ['etl', 'spark'],
  zones: ['UTC', 'Asia/Shanghai'],
};
const offers = (text: string) => {
  const place = placeAt(text.replace('^', ''), text.indexOf('^'));
  return place ? offersAt(place, known) : [];
};
const labels = (text: string) => offers(text).map(({ label }) => label);
const insertOf = (text: string, label: string) => offers(text).find((one) => one.label === label)?.insert;
const task = (fields: string) => `jobs:\n  - key: load\n    tasks:\n      - key: x\n        ${fields}`;

describe('completion of keys', () => {
  it('offers what the object lacks', () => {
    expect(labels('apiVersion: hivego/v1\n^')).toEqual(expect.arrayContaining(['name', 'jobs', 'policy']));
    expect(labels('apiVersion: hivego/v1\n^')).not.toContain('apiVersion');
    expect(labels('policy:\n  catchUp:\n    ^')).toEqual(['mode', 'grace']);
    expect(labels(task('^'))).toEqual(expect.arrayContaining(['handler', 'needs', 'timeout', 'retry']));
    expect(labels(task('^'))).not.toContain('key');
  });
  it('offers the parameters of the handler', () => {
    expect(labels(task('handler: sql\n        params:\n          mode: query\n          ^'))).toEqual([
      'connection',
      'args',
    ]);
    expect(labels(task('params:\n          ^\n        handler: sql'))).toContain('mode');
    expect(labels('onFailure:\n  - handler: sql\n    params: {^')).toContain('connection');
    expect(labels(task('handler: other\n        params:\n          ^'))).toEqual([]);
  });
  it('begins objects and lists', () => {
    expect(insertOf('^', 'policy')).toBe('policy:\n  |');
    expect(insertOf('^', 'jobs')).toBe('jobs:\n  - |');
    expect(insertOf('^', 'tags')).toBe('tags: [|]');
    expect(insertOf('^', 'title')).toBe('title: |');
    expect(insertOf(task('^'), 'needs')).toBe('needs: [|]');
    expect(insertOf(task('^'), 'retry')).toBe('retry:\n          |');
    expect(insertOf('jobs:\n  - tasks:\n      - {^', 'handler')).toBe('handler: |');
  });
  it('says what is required, and describes it', () => {
    const found = offers(task('^')).find(({ label }) => label === 'handler');
    expect(found).toMatchObject({ required: true, info: expect.stringContaining('kind of work') as string });
  });
});

describe('completion of values', () => {
  it.each([
    ['flow: ^', ['needs', 'strict']],
    ['kind: ^', ['Schedule']],
    [task('disabled: ^'), ['true', 'false']],
    [task('handler: ^'), ['shell', 'sql']],
    ['jobs:\n  - key: j\n    defaults:\n      group: ^', ['default', 'dw', 'etl']],
    [task('group: ^'), ['default', 'dw', 'etl']],
    [task('handler: sql\n        group: ^'), ['dw']],
    [task('needs: [a, ^'), ['b']],
    [task('needs: ^'), ['a', 'b']],
    [task('needs:\n          - b\n          - ^'), ['a']],
    ['triggers:\n  - calendar:\n      name: ^', ['china', '2026']],
    ['timezone: ^', ['UTC', 'Asia/Shanghai']],
    [task('handler: sql\n        params:\n          connection: ^'), ['dw']],
    [task('handler: sql\n        params:\n          mode: ^'), ['query', 'execute']],
    ['description: ^', []],
  ])('in %j', (text, want) => {
    expect(labels(text)).toEqual(want);
  });
  it('offers pools, and the fields of the long form', () => {
    expect(insertOf(task('^'), 'pool')).toBe('pool: |');
    expect(labels(task('pool: ^'))).toEqual(['etl', 'spark']);
    expect(labels(task('pool: {^'))).toEqual(['name', 'slots']);
    expect(labels(task('pool:\n          name: ^'))).toEqual(['etl', 'spark']);
  });
  it('writes quotes where YAML needs them', () => {
    expect(insertOf('triggers:\n  - calendar:\n      name: ^', '2026')).toBe('"2026"');
    expect(insertOf(task('needs: ^'), 'a')).toBe('[a|]');
  });
  it('names the default', () => {
    expect(offers('flow: ^')[0]).toMatchObject({ label: 'needs', detail: 'default' });
  });
});
