import { describe, expect, it } from 'vitest';
import type { TaskRun } from '@/live';
import { durationOf, nextOrder, orderOf, rowsToShow } from './table';

const run = (number: number, more: Partial<TaskRun> = {}): TaskRun => ({
  number,
  key: `t${String(number)}`,
  job: 'j',
  state: 'waiting',
  reason: '',
  attempts: 0,
  executor: '',
  error: '',
  round: 1,
  ...more,
});
const runs = [
  run(0, {
    key: 't10',
    state: 'succeeded',
    startedAt: '2026-11-22T00:00:00Z',
    finishedAt: '2026-11-22T00:00:05Z',
    executor: 'etl-1',
  }),
  run(1, {
    key: 't2',
    state: 'failed',
    startedAt: '2026-11-22T00:01:00Z',
    finishedAt: '2026-11-22T00:01:01Z',
    error: 'no such Column',
    exitCode: 1,
  }),
  run(2, { key: 't1', state: 'ready', notBefore: '2026-11-22T00:02:00Z' }),
];
const keys = (filter: { q?: string; only?: string }, sort?: string) =>
  rowsToShow(runs, filter, orderOf(sort)).map((r) => r.key);

describe('the rows', () => {
  it.each<[{ q?: string; only?: string }, string | undefined, string[]]>([
    [{}, undefined, ['t10', 't2', 't1']],
    [{}, 'task', ['t1', 't2', 't10']],
    [{}, '-task', ['t10', 't2', 't1']],
    [{}, 'state', ['t2', 't1', 't10']],
    [{}, 'duration', ['t2', 't10', 't1']],
    [{}, '-duration', ['t10', 't2', 't1']],
    [{}, 'exit', ['t2', 't10', 't1']],
    [{}, 'nonsense', ['t10', 't2', 't1']],
    [{ q: 'COLUMN' }, undefined, ['t2']],
    [{ q: 'etl' }, undefined, ['t10']],
    [{ only: 'retrying' }, undefined, ['t1']],
    [{ only: 'failed', q: 't1' }, undefined, []],
  ])('%o by %s', (filter, sort, want) => {
    expect(keys(filter, sort)).toEqual(want);
  });
  it('are found by titles and by keys, and sorted by the shown values', () => {
    const titles = {
      tasks: new Map([
        ['t10', 'Clean the air'],
        ['t1', 'Bring it in'],
      ]),
      jobs: new Map([['j', 'Morning']]),
    };
    const shown = (filter: { q?: string }, sort?: string) =>
      rowsToShow(runs, filter, orderOf(sort), titles).map((r) => r.key);
    expect(shown({}, 'task')).toEqual(['t1', 't10', 't2']);
    expect(shown({ q: 'the AIR' })).toEqual(['t10']);
    expect(shown({ q: 't10' })).toEqual(['t10']);
    expect(shown({ q: 'morning' })).toEqual(['t10', 't2', 't1']);
    const two = [run(0, { job: 'a' }), run(1, { job: 'b' })];
    expect(
      rowsToShow(two, {}, orderOf('job'), { tasks: new Map(), jobs: new Map([['a', 'Z']]) }).map((r) => r.job),
    ).toEqual(['b', 'a']);
  });
  it('are sorted ascending, descending, and then in the order of the definition', () => {
    expect(nextOrder(undefined, 'task')).toBe('task');
    expect(nextOrder(orderOf('task'), 'task')).toBe('-task');
    expect(nextOrder(orderOf('-task'), 'task')).toBeUndefined();
    expect(nextOrder(orderOf('-task'), 'job')).toBe('job');
  });
  it('contain the duration of a run', () => {
    expect(durationOf(runs[0]!, 0)).toBe(5000);
    expect(
      durationOf(run(0, { state: 'running', startedAt: '2026-11-22T00:00:00Z' }), Date.parse('2026-11-22T00:00:07Z')),
    ).toBe(7000);
    expect(durationOf(run(0, { state: 'ready', startedAt: '2026-11-22T00:00:00Z' }), 9)).toBeUndefined();
    expect(durationOf(run(0), 9)).toBeUndefined();
  });
});
