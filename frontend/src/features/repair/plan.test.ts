import { describe, expect, it } from 'vitest';
import type { Schemas } from '@/api/client';
import type { Definition } from '@/api/definition';
import { batch, plan, row, run } from './testing';
import {
  capital,
  changeOf,
  comparePlans,
  correctsFailure,
  destroys,
  differingTasks,
  doubtful,
  firstLine,
  unchangedGroups,
  numeral,
  type PlanAction,
  type PlanRow,
  summarise,
  whyNothing,
  whyOf,
} from './plan';
import { doneText } from './useRepair';

describe('summarise', () => {
  it('counts runs by their change; a new run does not reduce the unchanged ones', () => {
    const rows = [
      row(0, 'a'),
      row(1, 'b', { from: 'running', kill: true }),
      row(-1, 'n', { from: undefined, why: 'new' }),
      row(2, 'c', { to: 'ignored', why: 'removed' }),
      row(3, 'd', { to: 'skipped', why: 'decide_anew' }),
    ];
    expect(summarise(plan(rows), 10)).toEqual({ run: 3, kill: 1, succeed: 0, ignore: 1, skip: 1, cancel: 0, keep: 6 });
  });
  it('counts the shards of a task once with their task, and alone without a row of it', () => {
    const shards = [0, 1].map((shard) => row(5 + shard, 'copy', { shard, to: 'canceled', kill: true }));
    const whole = plan([row(0, 'copy', { to: 'canceled' }), ...shards], { action: 'cancel' });
    expect(summarise(whole, 3)).toMatchObject({ cancel: 1, kill: 1, keep: 2 });
    expect(doneText(whole).values.count).toBe(1);
    expect(summarise(plan(shards, { action: 'cancel' }), 3)).toMatchObject({ cancel: 2, kill: 2, keep: 2 });
    expect(
      unchangedGroups(plan(shards), [run(0, 'copy', 'running'), run(1, 'b', 'succeeded')]).flatMap(
        ({ tasks }) => tasks,
      ),
    ).toEqual(['b']);
  });
  it('counts the marked shards of a task, and not their task', () => {
    const rows = [row(0, 'copy', { why: 'asked' }), row(5, 'copy', { shard: 3, to: 'succeeded', why: 'asked' })];
    expect(summarise(plan(rows, { action: 'mark_success' }), 3)).toMatchObject({ run: 0, succeed: 1, keep: 2 });
  });
  it('names a doubtful task once, and not each shard of it', () => {
    const bad = { why: 'ran_on_bad', cause: 'extract' } as const;
    const rows = [row(0, 'copy', bad), row(5, 'copy', { ...bad, shard: 0 }), row(6, 'copy', { ...bad, shard: 1 })];
    expect(doubtful(plan(rows))).toEqual([{ task: 'copy', cause: 'extract', again: true }]);
  });
  it('names what a later plan no longer has: a task once, and a single shard', () => {
    const shards = [0, 1].map((shard) => row(5 + shard, 'copy', { shard }));
    const whole = plan([row(0, 'copy'), ...shards]);
    expect(comparePlans(whole, plan([])).removed).toEqual(['copy']);
    expect(comparePlans(whole, plan([row(0, 'copy'), row(5, 'copy', { shard: 0 })])).removed).toEqual(['copy.1']);
  });
  it.each<[PlanAction, Partial<PlanRow>, boolean]>([
    ['resume', {}, false],
    ['rerun', { kill: true, from: 'running' }, true],
    ['cancel', { to: 'canceled' }, true],
  ])('%s of %j destroys: %s', (action, over, want) => {
    expect(destroys(plan([row(0, 'a', over)], { action }))).toBe(want);
  });
});

describe('changeOf', () => {
  it.each<[Partial<PlanRow>, string]>([
    [{}, 'runAgain'],
    [{ from: 'succeeded' }, 'runAgain'],
    [{ from: 'skipped' }, 'run'],
    [{ from: 'ignored' }, 'run'],
    [{ from: undefined }, 'run'],
    [{ from: 'running', kill: true }, 'killRun'],
    [{ from: 'running', to: 'canceled', kill: true }, 'kill'],
    [{ from: 'waiting', to: 'canceled' }, 'cancel'],
    [{ to: 'succeeded' }, 'succeed'],
    [{ to: 'ignored' }, 'ignore'],
    [{ from: 'waiting', to: 'skipped' }, 'skip'],
  ])('%j: %s', (over, want) => {
    expect(changeOf(row(0, 'a', over))).toBe(want);
  });
});

describe('whyOf', () => {
  const failed = run(0, 'a', 'failed', { error: '\n\n  no such column: x \nat line 2' });
  it.each<[Partial<PlanRow>, Schemas['TaskRun'] | undefined, boolean, string]>([
    [{}, failed, false, 'failedBy'],
    [{}, run(0, 'a', 'failed'), false, 'failed'],
    [{}, undefined, false, 'failed'],
    [{ why: 'canceled' }, failed, false, 'canceled'],
    [{ why: 'held' }, failed, false, 'held'],
    [{ why: 'skipped', cause: 'x' }, undefined, false, 'skipped'],
    [{ why: 'skipped', to: 'skipped', cause: 'x' }, undefined, false, 'skippedAnew'],
    [{ why: 'asked' }, undefined, true, 'asked'],
    [{ why: 'asked' }, undefined, false, 'all'],
    [{ why: 'downstream', cause: 'x' }, undefined, true, 'downstream'],
    [{ why: 'ran_on_bad', cause: 'x' }, undefined, true, 'ranOnBad'],
    [{ why: 'new' }, undefined, false, 'new'],
    [{ why: 'removed' }, undefined, false, 'removed'],
    [{ why: 'decide_anew' }, undefined, false, 'anew'],
    [{ why: 'decide_anew', cause: 'x' }, undefined, false, 'anewBy'],
  ])('%j', (over, current, named, want) => {
    expect(whyOf(row(0, 'a', over), plan([]), current, named, (key: string) => key).key).toBe(want);
  });
  it('quotes the first line of the error, and names the cause', () => {
    expect(
      whyOf(row(0, 'a', { cause: 'x' }), plan([], { revision: 8 }), failed, false, (key: string) => key).values,
    ).toEqual({ cause: 'x', error: 'no such column: x', revision: 8 });
    expect(firstLine(' \n')).toBe('');
  });
});

describe('unchangedGroups', () => {
  it('groups by state, succeeded runs first', () => {
    const runs = [run(0, 'w', 'waiting'), run(1, 'a', 'succeeded'), run(2, 'b', 'failed'), run(3, 'c', 'succeeded')];
    expect(unchangedGroups(plan([row(2, 'b')]), runs)).toEqual([
      { state: 'succeeded', tasks: ['a', 'c'] },
      { state: 'waiting', tasks: ['w'] },
    ]);
  });
});

describe('doubtful', () => {
  it('includes runs that the plan reruns already, in the order of the batch', () => {
    const p = plan([row(5, 'y', { why: 'ran_on_bad', cause: 'a' }), row(0, 'a')], {
      kept: [
        { number: 3, task: 'x', state: 'succeeded', ranOnFailed: 'a' },
        { number: 4, task: 'z', state: 'succeeded', changed: true },
      ],
    });
    expect(doubtful(p)).toEqual([
      { task: 'x', cause: 'a', again: false },
      { task: 'y', cause: 'a', again: true },
    ]);
  });
});

describe('comparePlans', () => {
  it('finds new, changed and removed rows', () => {
    const before = plan([row(0, 'a'), row(1, 'b'), row(2, 'c')]);
    const now = plan([row(0, 'a'), row(1, 'b', { from: 'running', kill: true }), row(3, 'd')]);
    expect(comparePlans(before, now)).toEqual({ changed: new Set(['b', 'd']), removed: ['c'] });
  });
});

describe('comparePlans of shards', () => {
  it('compares each shard with itself', () => {
    const shard = (n: number, over: Partial<PlanRow> = {}) => row(5 + n, 'copy', { shard: n, ...over });
    const [before, now] = [plan([shard(0), shard(1, { kill: true })]), plan([shard(0), shard(1)])];
    expect([...comparePlans(before, now).changed]).toEqual(['copy.1']);
  });
});

describe('correctsFailure', () => {
  const batch = (...states: [string, string][]) =>
    ({ tasks: states.map(([key, state]) => ({ key, state })) }) as unknown as Parameters<typeof correctsFailure>[1];
  it.each([
    [['a'], batch(['a', 'failed'], ['b', 'skipped']), true],
    [['a', 'b'], batch(['a', 'failed'], ['b', 'failed']), true],
    [['a', 'b'], batch(['a', 'failed'], ['b', 'succeeded']), false], // it changes more
    [['b'], batch(['a', 'failed'], ['b', 'succeeded']), false],
    [[], batch(['a', 'failed']), false],
    [[], batch(['a', 'succeeded']), false],
  ])('a revision that changes %j', (different, of, want) => {
    expect(correctsFailure(new Set(different), of)).toBe(want);
  });
});

describe('differingTasks', () => {
  const definition = (tasks: Definition['jobs'][number]['tasks']): Definition => ({
    apiVersion: 'hivego/v1',
    kind: 'Schedule',
    name: 's',
    jobs: [{ key: 'j', tasks }],
  });
  it('compares the work of tasks, not their titles or the order of keys', () => {
    const a = definition([
      { key: 'same', handler: 'sql', title: 'One', params: { a: 1, b: [1, 2] } },
      { key: 'other', handler: 'sql' },
      { key: 'removed', handler: 'sql' },
    ]);
    const b = definition([
      { params: { b: [1, 2], a: 1 }, handler: 'sql', key: 'same', title: 'Two' },
      { key: 'other', handler: 'shell' },
      { key: 'new', handler: 'sql' },
    ]);
    expect(differingTasks(a, b)).toEqual(new Set(['other', 'removed', 'new']));
  });
  it('finds a task that is in another job now', () => {
    const [a, b] = [definition([{ key: 't', handler: 'sql' }]), definition([{ key: 't', handler: 'sql' }])];
    b.jobs = b.jobs.map((job) => ({ ...job, key: 'k' }));
    expect(differingTasks(a, b)).toEqual(new Set(['t']));
  });
});

describe('whyNothing', () => {
  it.each<[PlanAction, Schemas['RunState'], boolean, boolean, string]>([
    ['resume', 'succeeded', false, false, 'succeeded'],
    ['resume', 'running', true, false, 'soFar'],
    ['resume', 'failed', false, false, 'allowed'],
    ['resume', 'failed', false, true, 'moved'],
    ['rerun', 'waiting', true, false, 'waits'],
    ['cancel', 'succeeded', false, false, 'ended'],
    ['mark_success', 'succeeded', false, false, 'already'],
  ])('%s where a run is %s (live %s, had rows %s): %s', (action, state, live, hadRows, want) => {
    expect(whyNothing(action, batch([run(0, 'a', state)], { live }), hadRows)).toBe(want);
  });
});

describe('texts', () => {
  it.each([
    [0, 'no'],
    [2, 'two'],
    [3, '3'],
    [5001, '5,001'],
  ])('%d is %s', (n, want) => {
    expect(numeral(n, 'no|one|two', 'en')).toBe(want);
  });
  it('are digits if a language has no list of words', () => {
    expect(numeral(1, '|', 'zh')).toBe('1');
  });
  it('begin with an upper-case letter', () => {
    expect(capital('two tasks')).toBe('Two tasks');
  });
  it.each<[PlanAction, Partial<PlanRow>, string]>([
    ['resume', {}, 'round'],
    ['rerun', {}, 'round'],
    ['close', {}, 'close'],
    ['cancel', { to: 'canceled' }, 'cancelTasks'],
    ['mark_success', { to: 'succeeded' }, 'marked'],
    ['mark_skip', {}, 'round'],
  ])('%s of %j is done: %s', (action, over, want) => {
    expect(doneText(plan([row(0, 'a', over)], { action })).key).toBe(want);
  });
});
