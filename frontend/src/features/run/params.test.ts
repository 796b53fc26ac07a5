import { describe, expect, it } from 'vitest';
import type { Schemas } from '@/api/client';
import type { Definition } from '@/api/definition';
import { fieldsOf, changedParams, paramFaults, type Typed, tasksWithoutExecutor } from './params';

const definition = (tasks: Definition['jobs'][number]['tasks'], params?: Definition['params']): Definition => ({
  apiVersion: 'hivego/v1',
  kind: 'Schedule',
  name: 's',
  params,
  jobs: [{ key: 'j', tasks }],
});

describe('changedParams', () => {
  const fields = fieldsOf(definition([], { region: 'east', late: 15, dry: true }));
  it.each<[string, Typed, object, string[]]>([
    ['no field changed', {}, {}, []],
    ['entered, but equal to the declared value', { region: 'east', late: '15', dry: true }, {}, []],
    ['other values', { region: 'west', late: '2.5', dry: false }, { region: 'west', late: 2.5, dry: false }, []],
    ['an empty text is a value', { region: '' }, { region: '' }, []],
    ['a text for a number', { late: 'ten', region: '7' }, { region: '7' }, ['late']],
    ['an empty number', { late: ' ' }, {}, ['late']],
    ['more digits than a JavaScript number holds', { late: '9007199254740993' }, { late: '9007199254740993' }, []],
  ])('%s', (_, typed, params, invalid) => {
    expect(changedParams(fields, typed)).toEqual({ params, invalid });
  });
});

describe('paramFaults', () => {
  it('finds the faults of params', () => {
    const fault = (path: string): Schemas['Fault'] => ({ code: 'bad_param', path, message: 'no' });
    expect([...paramFaults([fault('params.late'), fault('at')]).keys()]).toEqual(['late']);
    expect(paramFaults(undefined).size).toBe(0);
  });
});

describe('tasksWithoutExecutor', () => {
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
    tasksWithoutExecutor(definition(tasks), executors, task).flatMap((u) => u.tasks);
  it.each<[string, Schemas['Executor'][], string | undefined, string[]]>([
    ['an executor of the default group', [executor({})], undefined, ['b', 'c', 'd', 'e']],
    ['the named executor', [executor({ name: 'x' })], undefined, ['b', 'c', 'e']],
    ['an executor with the label', [executor({ labels: { gpu: 'yes' } })], undefined, ['b', 'c', 'd']],
    ['an executor that is offline', [executor({ offline: true })], 'a', ['a']],
    ['an executor that is silent', [executor({ state: 'silent' })], 'a', ['a']],
    ['a run of one task, even if it is disabled', [executor({})], 'f', ['f']],
  ])('%s', (_, executors, task, want) => {
    expect(all(executors, task)).toEqual(want);
  });
  it('lists a handler of a group once', () => {
    expect(tasksWithoutExecutor(definition(tasks), [executor({ name: 'x', labels: { gpu: 'yes' } })])).toEqual([
      { handler: 'sql', group: 'etl', executor: undefined, tasks: ['b', 'c'] },
    ]);
  });
});
