import { describe, expect, it } from 'vitest';
import { ADDRESS, condition, type Executor, GROUP, groupExecutors, loadOf, paramsOf, startCommands } from './executors';

const executor = (name: string, over: Partial<Executor> = {}): Executor => ({
  id: name,
  name,
  group: 'default',
  address: 'h:9999',
  state: 'online',
  offline: false,
  slots: 4,
  running: 0,
  handlers: [],
  durable: true,
  ...over,
});

describe('condition', () => {
  it.each<[Executor['state'], boolean, string]>([
    ['online', false, 'online'],
    ['online', true, 'offline'],
    ['draining', true, 'offline'],
    ['draining', false, 'draining'],
    ['silent', true, 'silent'],
    ['lost', true, 'lost'],
    ['lost', false, 'lost'],
  ])('%s, taken offline %s: %s', (state, offline, want) => {
    expect(condition(executor('e', { state, offline }))).toBe(want);
  });
  it('is drained once a draining executor has no attempts left', () => {
    const drained = (over: Partial<Executor>) => condition(executor('e', { drained: true, ...over }));
    expect([
      drained({ running: 2 }),
      drained({ running: 0 }),
      drained({ running: 0, offline: true }),
      drained({ running: 0, state: 'lost' }),
    ]).toEqual(['draining', 'drained', 'offline', 'lost']);
  });
});

describe('groupExecutors', () => {
  it('count the slots of online executors, and all running tasks', () => {
    const got = groupExecutors([
      executor('a', { running: 3 }),
      executor('b', { group: 'etl', slots: 8 }),
      executor('c', { offline: true, running: 2 }),
      executor('d', { state: 'lost' }),
    ]);
    expect(got.map((g) => [g.name, g.executors.map((e) => e.name).join(''), g.running, g.slots])).toEqual([
      ['default', 'acd', 5, 4],
      ['etl', 'b', 0, 8],
    ]);
    expect(groupExecutors([])).toEqual([]);
  });
});

describe('loadOf', () => {
  it.each([
    [0, 4, 0],
    [1, 4, 0.25],
    [9, 4, 1],
    [0, 0, 0],
    [1, 0, 1],
  ])('%d of %d: %d', (running, slots, want) => {
    expect(loadOf({ running, slots })).toBe(want);
  });
});

describe('the start commands', () => {
  it('keep the token out of the list of processes', () => {
    const text = startCommands('https://hive.example', 'etl', 'hx_1');
    expect(text).toContain('hivego executor --server https://hive.example --group etl --token-file etl.token');
    expect(text.split('\n')[1]).not.toContain('hx_1');
  });
  it.each([
    ['etl', true],
    ['e-1_x', true],
    ['', false],
    ['-a', false],
    ['a b', false],
    ["a'b", false],
    ['x'.repeat(64), false],
  ])('a group named %j: %s', (name, valid) => {
    expect(GROUP.test(name)).toBe(valid);
  });
});

describe('an address', () => {
  it.each([
    ['127.0.0.1:9000', true],
    ['box.example:9999', true],
    ['[::1]:9000', true],
    ['box', false],
    ['box:', false],
    ['a b:1', false],
    ['http://a:1', false],
    ['::1:9000', false],
  ])('%s: %s', (text, valid) => {
    expect(ADDRESS.test(text)).toBe(valid);
  });
});

describe('the parameters of a handler', () => {
  it('come from its schema', () => {
    expect(
      paramsOf(
        '{"properties":{"a":{"type":"string","title":"A"},"b":{"type":["x"],"description":3}},"required":["a"]}',
      ),
    ).toEqual([
      { name: 'a', type: 'string', description: 'A', required: true },
      { name: 'b', type: undefined, description: undefined, required: false },
    ]);
    expect([paramsOf(undefined), paramsOf('{'), paramsOf('{}'), paramsOf('{"properties":null}')]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});
