import { describe, expect, it } from 'vitest';
import i18next from 'i18next';
import {
  acceptOffer,
  addTaskAfter,
  applyOps,
  type Command,
  connect,
  jobOf,
  labelText,
  disconnectAll,
  type Doc,
  duplicateJob,
  duplicateTasks,
  editHead,
  editParams,
  editTasks,
  moveJob,
  moveTargetLater,
  moveTasks,
  moveTasksToNewJob,
  newDocumentStore,
  noteOf,
  noteText,
  offerText,
  refusalText,
  refusalOf,
  removeJob,
  removeRedundant,
  renameJob,
  renameParam,
  renameTask,
  setDisabled,
  setJobDisabled,
  taskOf,
} from '.';
import { mapTemplate, referencesOf, renameInExpression } from './refs';
import { doc, story, shown } from './testing';

const after = (from: Doc, command: Command | undefined): Doc => applyOps(from, command?.ops ?? []).doc;
const base = story();
const t = i18next.getFixedT('en', 'document');

describe('commands', () => {
  const cases: [string, Command | undefined, string[][], string][] = [
    [
      'a job with its tasks',
      removeJob(base, 'j1'),
      [['A', 'B', 'C'], ['E', 'F', 'G', 'H'], ['I: E', 'J: G H'], ['K: J']],
      'Delete job j1 and its task',
    ],
    [
      'a job upwards',
      moveJob(base, 'j1', 0),
      [['D'], ['A', 'B', 'C'], ['E: D', 'F: D', 'G: D', 'H: D'], ['I: E', 'J: G H'], ['K: J']],
      'Move job j1; 3 dependencies dropped',
    ],
    ['a copy of a job', duplicateJob(base, 'j4'), [...shown(base), ['K2: J']], 'Duplicate job j4'],
    [
      'a task from the end of a dependency',
      addTaskAfter(base, 'K', { handler: 'sql' }),
      [...shown(base), ['sql: K']],
      'Add sql after K',
    ],
    [
      'the same, dropped on a lane above',
      addTaskAfter(base, 'D', { handler: 'sql' }, 'j0'),
      shown(base).map((lane, j) => (j === 2 ? [...lane, 'sql: D'] : lane)),
      'Add sql after D',
    ],
    [
      'tasks to another lane',
      moveTasks(base, ['G', 'H'], 'j3', 0),
      [['A', 'B', 'C'], ['D: A B C'], ['E: D', 'F: D'], ['G: D', 'H: D', 'I: E', 'J'], ['K: J']],
      'Move 2 tasks; 2 dependencies dropped',
    ],
    ['a task within its lane', moveTasks(base, ['A'], 'j0', 1), [['B', 'A', 'C'], ...shown(base).slice(1)], 'Move A'],
    [
      'several within their lane',
      moveTasks(base, ['E', 'G'], 'j2', 1),
      shown(base).map((lane, j) => (j === 2 ? ['F: D', 'E: D', 'G: D', 'H: D'] : lane)),
      'Move 2 tasks',
    ],
    [
      'tasks to a new lane',
      moveTasksToNewJob(base, ['H'], 3),
      [...shown(base).slice(0, 2), ['E: D', 'F: D', 'G: D'], ['H: D'], ...shown(base).slice(3)],
      'Move H',
    ],
    [
      'copies beside their tasks',
      duplicateTasks(base, ['E', 'I']),
      shown(base).map((lane, j) =>
        j === 2 ? ['E: D', 'E2: D', 'F: D', 'G: D', 'H: D'] : j === 3 ? ['I: E', 'I2: E2', 'J: G H'] : lane,
      ),
      'Duplicate 2 tasks',
    ],
    [
      'a dependency',
      connect(base, 'F', 'I'),
      shown(base).map((lane, j) => (j === 3 ? ['I: E F', 'J: G H'] : lane)),
      'Connect F → I',
    ],
    [
      'all dependencies of a task',
      disconnectAll(base, ['D']),
      shown(base).map((lane, j) => (j === 1 ? ['D'] : j === 2 ? ['E', 'F', 'G', 'H'] : lane)),
      'Remove 7 dependencies',
    ],
    [
      'a target moved later, past what needs it',
      moveTargetLater(base, 'E', 'G'),
      [['A', 'B', 'C'], ['D: A B C'], ['E: D', 'F: D', 'H: D'], ['G: D E'], ['I: E', 'J: G H'], ['K: J']],
      'Connect E → G, moved to job',
    ],
    [
      'a target moved to the next lane',
      moveTargetLater(base, 'E', 'F'),
      shown(base).map((lane, j) => (j === 2 ? ['E: D', 'G: D', 'H: D'] : j === 3 ? [...lane, 'F: D E'] : lane)),
      'Connect E → F, moved to j3',
    ],
  ];
  it.each(cases)('%s', (_, command, expected, words) => {
    expect(shown(after(base, command))).toEqual(expected);
    expect(command && labelText(t, command.label)).toBe(words);
  });

  it('are undefined if nothing changes', () => {
    expect(
      [
        moveTasks(base, ['A', 'B'], 'j0', 0),
        moveTasks(base, ['none'], 'j0'),
        moveTasks(base, ['A'], 'none'),
        moveJob(base, 'j0', 0),
        moveJob(base, 'j4', 9),
        renameTask(base, 'A', 'A'),
        renameTask(base, 'A', 'b'),
        renameTask(base, 'A', ''),
        renameJob(base, 'j0', 'J1'),
        editTasks(base, ['A'], { handler: 'shell' }),
        editParams(base, ['A'], { none: undefined }),
        setDisabled(base, ['A'], false),
        removeRedundant(base),
        disconnectAll(base, ['none']),
        connect(base, 'A', 'D'),
        moveTargetLater(base, 'A', 'D'),
        editHead(base, { title: 'Nightly' }),
        removeJob(base, 'none'),
        duplicateJob(base, 'none'),
        duplicateTasks(base, []),
        addTaskAfter(base, 'none', { handler: 'sql' }),
      ].filter(Boolean),
    ).toEqual([]);
  });
  it('may change the case of a key', () => {
    expect(shown(after(base, renameTask(base, 'K', 'k')))[4]).toEqual(['k: J']);
  });
  it('disable a job and enable it again, and leave what its tasks say', () => {
    const one = after(base, setDisabled(base, ['D'], true));
    const off = setJobDisabled(one, 'j1', true);
    const two = after(one, off);
    expect(jobOf(two, 'j1')).toMatchObject({ disabled: true, tasks: [{ key: 'D', disabled: true }] });
    expect(off && labelText(t, off.label)).toBe('Disable job j1');
    const on = setJobDisabled(two, 'j1', false);
    expect(after(two, on)).toEqual(one);
    expect(on && labelText(t, on.label)).toBe('Enable job j1');
    expect(setJobDisabled(one, 'j1', false)).toBeUndefined();
  });
  it('keep the other params, and remove empty params', () => {
    const one = after(base, editParams(base, ['A'], { a: 1, b: 2 }));
    expect(taskOf(after(one, editParams(one, ['A'], { a: undefined })), 'A')?.params).toEqual({ b: 2 });
    expect(taskOf(after(one, editParams(one, ['A'], { a: undefined, b: undefined })), 'A')).not.toHaveProperty(
      'params',
    );
  });
  it('rename a task in needs and expressions', () => {
    const named = after(
      base,
      editTasks(base, ['K'], {
        when: 'outputs.J.n > 0 && outputs["J"].x != "outputs.J"',
        params: { text: 'outputs.J ${{ outputs.J.y }} $${{ outputs.J.z }}', deep: [{ a: '${{outputs.J.n}}' }] },
      }),
    );
    const next = after(named, renameTask(named, 'J', 'join-all'));
    expect(taskOf(next, 'K')).toEqual({
      key: 'K',
      handler: 'shell',
      needs: ['join-all'],
      when: 'outputs["join-all"].n > 0 && outputs["join-all"].x != "outputs.J"',
      params: {
        text: 'outputs.J ${{ outputs["join-all"].y }} $${{ outputs.J.z }}',
        deep: [{ a: '${{outputs["join-all"].n}}' }],
      },
    });
  });
  it('rename a task in the list of shards and in the key of a route', () => {
    const named = after(base, editTasks(base, ['K'], { shard: { over: 'outputs.J.files' }, routeKey: 'outputs.J.n' }));
    expect(taskOf(after(named, renameTask(named, 'J', 'j2')), 'K')).toMatchObject({
      shard: { over: 'outputs.j2.files' },
      routeKey: 'outputs.j2.n',
    });
  });
  it('rename a task and a param in the condition of retries', () => {
    const retry = { max: 1, on: '75', when: 'outputs.J.n > 1 && outcome.outputs.J != "x"' };
    const named = after(base, editTasks(base, ['K'], { retry }));
    expect(taskOf(after(named, renameTask(named, 'J', 'j2')), 'K')?.retry).toEqual({
      ...retry,
      when: 'outputs.j2.n > 1 && outcome.outputs.J != "x"',
    });
    const plain = after(base, editTasks(base, ['K'], { retry: { max: 1, when: 'outcome.failures < 2' } }));
    expect(taskOf(after(plain, renameTask(plain, 'J', 'j2')), 'K')?.retry).toBe(taskOf(plain, 'K')?.retry);
  });
  it('rename tasks and params in hooks, and in the defaults of jobs', () => {
    const hook = (when: string, text: string) => [{ handler: 'http', params: { text }, retry: { max: 1, when } }];
    const written: Doc = {
      ...base,
      params: { from: 'x' },
      onEnd: hook('params.from == "a"', 'params.from ${{ params.from }}'),
      jobs: base.jobs.map((job, j) => ({
        ...job,
        ...(j === 1 && { defaults: { retry: { max: 1, when: 'params.from > outputs.A.n' } } }),
        tasks: job.tasks?.map((task) =>
          task.key === 'K' ? { ...task, onFailure: hook('true', '${{ outputs.A.n }}') } : task,
        ),
      })),
    };
    const next = after(written, renameParam(written, 'from', 'to'));
    expect(next.onEnd).toEqual(hook('params.to == "a"', 'params.from ${{ params.to }}'));
    expect(next.jobs[1]?.defaults?.retry?.when).toBe('params.to > outputs.A.n');
    const renamed = after(next, renameTask(next, 'A', 'a2'));
    expect(renamed.jobs[1]?.defaults?.retry).toEqual({ max: 1, when: 'params.to > outputs.a2.n' });
    expect(taskOf(renamed, 'K')?.onFailure).toEqual(hook('true', '${{ outputs.a2.n }}'));
    expect(renamed.jobs[0]?.defaults).toBeUndefined();
    expect(renamed.onEnd).toBe(next.onEnd);
  });
  it('remove needs that become redundant only on request', () => {
    const from = doc(['a'], ['b: a'], ['c: a']);
    expect(shown(after(from, connect(from, 'b', 'c')))[2]).toEqual(['c: a b']);
    const tidy = connect(from, 'b', 'c', { tidy: true });
    expect(shown(after(from, tidy))[2]).toEqual(['c: b']);
    expect(tidy && labelText(t, tidy.label)).toBe('Connect b → c; 1 redundant dependency dropped');
    const both = after(from, connect(from, 'b', 'c'));
    expect(shown(after(both, removeRedundant(both)))[2]).toEqual(['c: b']);
  });
});

describe('a dependency while it is drawn', () => {
  it.each([
    ['A', 'A', 'self', 'A task cannot depend on itself.', undefined],
    ['A', 'B', 'same_job', 'A and B are in the same job j0: its tasks run in parallel.', 'Move B to a later job'],
    ['K', 'A', 'upwards', 'K runs in a later job than A: dependencies go downwards.', 'Connect A → K instead'],
    ['D', 'A', 'upwards', 'D runs in a later job than A: dependencies go downwards.', undefined],
    ['A', 'D', 'twice', 'D depends on A already.', undefined],
    ['A', 'gone', 'unknown', 'One of the two tasks no longer exists.', undefined],
  ])('%s → %s: %s', (from, to, code, words, offer) => {
    const refusal = refusalOf(base, from, to);
    expect(refusal?.code).toBe(code);
    expect(refusal && refusalText(t, refusal)).toBe(words);
    expect(refusal && offerText(t, refusal)).toBe(offer);
    expect(noteOf(base, from, to)).toBeUndefined();
    expect(connect(base, from, to)).toBeUndefined();
  });
  it('accepts the offer of a refusal', () => {
    const from = doc(['a', 'b'], ['c']);
    expect(shown(after(from, acceptOffer(from, refusalOf(from, 'a', 'b')!)))).toEqual([['a'], ['c', 'b: a']]);
    expect(shown(after(from, acceptOffer(from, refusalOf(from, 'c', 'a')!)))).toEqual([['a', 'b'], ['c: a']]);
  });
  it('has a note and is not added if it would change nothing', () => {
    const known = noteOf(base, 'D', 'I');
    expect(known && noteText(t, known)).toBe('Not needed: I waits for D already, by way of other tasks.');
    expect(connect(base, 'D', 'I')).toBeUndefined();
    expect(noteOf(base, 'F', 'I')).toBeUndefined();
  });
});

describe('referencesOf and renameInExpression', () => {
  it.each([
    ['outputs.a.x', ['a']],
    ['outputs?.a?.x', ['a']],
    ["outputs['a-b'].x", ['a-b']],
    ['outputs [ "a" ]', ['a']],
    ['x.outputs.a', []],
    ['"outputs.a"', []],
    ['`outputs.a`', []],
    ['outputsx.a', []],
    ['filter(outputs.a, .outputs.b)', ['a']],
    ['outputs[params.x]', []],
    ['"\\"outputs.a" + outputs.b', ['b']],
  ])('%s', (source, outputs) => {
    expect(referencesOf(source).outputs).toEqual(outputs);
  });
  it.each([
    ['outputs.a.x + outputs.ab.x', 'outputs.b.x + outputs.ab.x'],
    ['outputs["a"]', 'outputs["b"]'],
    ["outputs [ 'a' ].x", 'outputs [ "b"].x'],
    ['outputs?.a', 'outputs?.b'],
  ])('%s', (source, want) => {
    expect(renameInExpression(source, new Map([['a', 'b']]))).toBe(want);
  });
  it('changes only templates', () => {
    const shout = (source: string) => source.toUpperCase();
    expect(mapTemplate('a ${{ b }} c $${{ d }} ${{ {"x": "}}"} }} ${{ open', shout)).toBe(
      'a ${{ B }} c $${{ d }} ${{ {"X": "}}"} }} ${{ open',
    );
  });
});

const withParams: Doc = {
  apiVersion: 'hivego/v1',
  kind: 'Schedule',
  name: 's',
  params: { region: 'east', limit: 5 },
  jobs: [
    {
      key: 'one',
      tasks: [
        {
          key: 'a',
          handler: 'shell',
          when: 'params.region == "params.region"',
          params: {
            command: 'echo $region ${{ params.region }}',
            env: { R: '${{ params["region"] + params.limit }}' },
          },
        },
        { key: 'b', handler: 'shell', params: { command: 'params.region' } },
      ],
    },
  ],
};

describe('renameParam', () => {
  it('keeps the order of params, and changes expressions but not texts', () => {
    const store = newDocumentStore(withParams);
    store.getState().apply(renameParam(withParams, 'region', 'area'));
    const renamed = store.getState().doc;
    expect(Object.entries(renamed.params ?? {})).toEqual([
      ['area', 'east'],
      ['limit', 5],
    ]);
    expect(taskOf(renamed, 'a')).toMatchObject({
      when: 'params.area == "params.region"',
      params: { command: 'echo $region ${{ params.area }}', env: { R: '${{ params["area"] + params.limit }}' } },
    });
    expect(taskOf(renamed, 'b')).toBe(taskOf(store.getState().doc, 'b'));
    expect(taskOf(renamed, 'b')?.params).toEqual({ command: 'params.region' });
    store.getState().undo();
    expect(store.getState().doc).toEqual(withParams);
  });
  it.each([
    ['region', 'region'],
    ['region', ''],
    ['region', 'limit'],
    ['none', 'x'],
  ])('does nothing for %s → %s', (from, to) => {
    expect(renameParam(withParams, from, to)).toBeUndefined();
  });
});
