import { describe, expect, it } from 'vitest';
import type { Schemas } from '@/api/client';
import type { Definition } from '@/api/definition';
import { fieldsOf, given, paramFaults, type Typed, unmanned } from './params';

const definition = (tasks: Definition['jobs'][number]['tasks'], params?: Definition['params']): Definition => ({
  apiVersion: 'hivego/v1',
  kind: 'Schedule',
  name: 's',
  params,
  jobs: [{ key: 'j', tasks }],
});

describe('given', () => {
  const fields = fieldsOf(definition([], { region: 'east', late: 15, dry: true }));
  it.each<[string, Typed, object, string[]]>([
    ['nothing touched', {}, {}, []],
    ['typed, but the same', { region: 'east', late: '15', dry: true }, {}, []],
    ['other values', { region: 'west', late: '2.5', dry: false }, { region: 'west', late: 2.5, dry: false }, []],
    ['an empty text is a value', { region: '' }, { region: '' }, []],
    ['no numbers', { late: 'ten', region: '7' }, { region: '7' }, ['late']],
    ['an empty number', { late: ' ' }, {}, ['late']],
    ['more digits than a number holds here', { late: '9007199254740993' }, { late: '9007199254740993' }, []],
  ])('%s', (_, typed, params, wrong) => {
    expect(given(fields, typed)).toEqual({ params, wrong });
  });
});

describe('paramFaults', () => {
  it('finds those at a param', () => {
    const fault = (path: string): Schemas['Fault'] => ({ code: 'bad_param', path, message: 'no' });
    expect([...paramFaults([fault('params.late'), fault('at')]).keys()]).toEqual(['late']);
    expect(paramFaults(undefined).size).toBe(0);
  });
});

describe('unmanned', () => {
  const executor = (over: Partial<Schemas['Executor']>): Schemas['Executor'] => ({
    id: 'e',
    name: 'e',
    group: 'default',
    address: '',
    state: 'online',
    offline: false,
    slots: 4,
    running: 0,
    durable: true,
    handlers: [{ name: 'sql' }],
    ...over,
  });
  const tasks: Definition['jobs'][number]['tasks'] = [
    { key: 'a', handler: 'sql' },
    { key: 'b', handler: 'sql', group: 'etl' },
    { key: 'c', handler: 'sql', group: 'etl' },
    { key: 'd', handler: 'sql', executor: 'x' },
    { key: 'e', handler: 'sql', labels: { gpu: 'yes' } },
    { key: 'f', handler: 'spark', disabled: true },
  ];
  const all = (executors: Schemas['Executor'][], task?: string) =>
    unmanned(definition(tasks), executors, task).flatMap((u) => u.tasks);
  it.each<[string, Schemas['Executor'][], string | undefined, string[]]>([
    ['one of the default group', [executor({})], undefined, ['b', 'c', 'd', 'e']],
    ['the named one', [executor({ name: 'x' })], undefined, ['b', 'c', 'e']],
    ['one with the label', [executor({ labels: { gpu: 'yes' } })], undefined, ['b', 'c', 'd']],
    ['one that is offline', [executor({ offline: true })], 'a', ['a']],
    ['one that is silent', [executor({ state: 'silent' })], 'a', ['a']],
    ['for one task, even if it is disabled', [executor({})], 'f', ['f']],
  ])('%s', (_, executors, task, want) => {
    expect(all(executors, task)).toEqual(want);
  });
  it('names a kind of work once', () => {
    expect(unmanned(definition(tasks), [executor({ name: 'x', labels: { gpu: 'yes' } })])).toEqual([
      { handler: 'sql', group: 'etl', executor: undefined, tasks: ['b', 'c'] },
    ]);
  });
});
