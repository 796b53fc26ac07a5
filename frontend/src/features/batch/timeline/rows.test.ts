import { describe, expect, it } from 'vitest';
import type { Schemas } from '@/api/client';
import type { TaskRun } from '@/live';
import { newRows, nowOf, type Row, roundStarts, shardRows } from './rows';

const rowsOf: ReturnType<typeof newRows> = (runs, attempts) => newRows()(runs, attempts);
const at = (s: number) => new Date(s * 1000).toISOString();
const run = (more: Partial<TaskRun> = {}): TaskRun => ({
  number: 0,
  key: 'a',
  job: 'j',
  state: 'waiting',
  reason: '',
  attempts: 0,
  executor: '',
  error: '',
  round: 1,
  ...more,
});
const attempt = (number: number, more: Partial<Schemas['Attempt']>): Schemas['Attempt'] => ({
  id: number,
  task: 'a',
  number,
  round: 1,
  executor: 'e',
  state: 'ended',
  offeredAt: at(0),
  ...more,
});
const rows = (...bars: [number, number | undefined, number?][]): Row[] => [
  {
    run: run(),
    bars: bars.map(([from, to, round = 1], n) => ({
      from: from * 1000,
      to: to === undefined ? undefined : to * 1000,
      state: 'succeeded',
      attempt: n + 1,
      round,
      executor: 'e',
    })),
  },
];

describe('now', () => {
  it('is the tick of the clock, but never before the latest event', () => {
    expect(nowOf(rows([0, 4], [5, undefined]), 9000)).toBe(9000);
    expect(nowOf(rows([0, 4], [5, undefined]), 4500)).toBe(5000);
    expect(nowOf(rows([0, 7]), 6200)).toBe(7000);
    expect(nowOf([], 100)).toBe(100);
  });
});

describe('shards', () => {
  it('have the bars of their own attempts, and their task has one', () => {
    const one = run({ state: 'succeeded', attempts: 1, startedAt: at(2) });
    const shards = [0, 1].map((index) => ({ ...one, number: index + 1, index, finishedAt: at(5 + index) }));
    const task = run({ state: 'succeeded', startedAt: at(2), finishedAt: at(6), shards });
    const attempts = [
      attempt(1, { shard: 1, outcome: 'success', startedAt: at(2), finishedAt: at(6) }),
      attempt(1, { shard: 0, outcome: 'success', startedAt: at(2), finishedAt: at(5) }),
    ];
    const [row] = rowsOf([task], attempts);
    expect(row?.bars).toMatchObject([{ from: 2000, to: 6000, state: 'succeeded' }]);
    expect(row && shardRows(attempts)(row)).toMatchObject([
      { run: { key: 'a.0' }, bars: [{ from: 2000, to: 5000, executor: 'e' }] },
      { run: { key: 'a.1' }, bars: [{ from: 2000, to: 6000, executor: 'e' }] },
    ]);
  });
  it('leave a bar of their task for each earlier round', () => {
    const attempts = [
      attempt(1, { shard: 0, outcome: 'success', startedAt: at(2), finishedAt: at(5) }),
      attempt(1, { shard: 1, outcome: 'failure', startedAt: at(3), finishedAt: at(6) }),
      attempt(1, { shard: 0, round: 2, outcome: 'success', startedAt: at(22), finishedAt: at(24) }),
    ];
    const before = { from: 2000, to: 6000, state: 'failed', round: 1 };
    const waiting = run({ round: 2 });
    expect(rowsOf([waiting], attempts.slice(0, 2))[0]?.bars).toMatchObject([before]);
    const shard = { ...run({ round: 2, startedAt: at(22) }), index: 0 };
    const running = run({ state: 'running', round: 2, startedAt: at(22), shards: [shard] });
    expect(rowsOf([running], attempts)[0]?.bars).toMatchObject([before, { from: 22000, state: 'running', round: 2 }]);
  });
});

describe('bars', () => {
  it('come from attempts, except attempts that never started', () => {
    const [row] = rowsOf(
      [run({ state: 'succeeded', attempts: 3, startedAt: at(20), finishedAt: at(30) })],
      [
        attempt(1, { outcome: 'failure', startedAt: at(0), finishedAt: at(10) }),
        attempt(2, { outcome: 'returned', finishedAt: at(12) }),
        attempt(3, { outcome: 'success', startedAt: at(20), finishedAt: at(30) }),
      ],
    );
    expect(row?.bars.map((b) => [b.attempt, b.state, b.from, b.to])).toEqual([
      [1, 'failed', 0, 10_000],
      [3, 'succeeded', 20_000, 30_000],
    ]);
  });
  it('of the latest attempt come from the run, which is newer', () => {
    const begun = attempt(1, { state: 'running', startedAt: at(0) });
    expect(rowsOf([run({ state: 'running', attempts: 1, startedAt: at(0) })], [begun])[0]?.bars).toMatchObject([
      { state: 'running', to: undefined },
    ]);
    expect(
      rowsOf([run({ state: 'failed', attempts: 1, startedAt: at(0), finishedAt: at(4) })], [begun])[0]?.bars,
    ).toMatchObject([{ state: 'failed', to: 4000 }]);
    expect(
      rowsOf([run({ state: 'ready', attempts: 1, startedAt: at(0), finishedAt: at(4), notBefore: at(9) })], [begun])[0]
        ?.bars,
    ).toMatchObject([{ state: 'failed', to: 4000 }]);
    expect(rowsOf([run({ state: 'unknown', attempts: 1, startedAt: at(0) })], [begun])[0]?.bars).toMatchObject([
      { state: 'unknown', to: undefined },
    ]);
    expect(
      rowsOf([run({ state: 'running', attempts: 2, startedAt: at(9), round: 2 })], [begun])[0]?.bars,
    ).toMatchObject([{ attempt: 1 }, { attempt: 2, round: 2, state: 'running' }]);
  });
  it('do not exist for a run that has not started', () => {
    expect(rowsOf([run()], [])[0]?.bars).toEqual([]);
  });
  it('of unchanged runs stay the same', () => {
    const again = newRows();
    const attempts = [attempt(1, { state: 'running', startedAt: at(0) })];
    const begun = run({ state: 'running', attempts: 1, startedAt: at(0) });
    const other = run({ number: 1, key: 'b' });
    const before = again([begun, other], attempts);
    const ended = { ...begun, state: 'failed', finishedAt: at(4) } as const;
    const after = again([ended, other], attempts);
    expect(after[0]?.bars).toMatchObject([{ state: 'failed', to: 4000 }]);
    expect(after[1]).toBe(before[1]);
    // Attempts that were read since then may have more bars.
    const [first] = again([ended, other], [attempt(1, { outcome: 'failure', startedAt: at(1), finishedAt: at(4) })]);
    expect(first?.bars).toMatchObject([{ from: 1000, to: 4000 }]);
  });
  it('finds the starts of rounds', () => {
    expect(roundStarts(rows([0, 1], [9, 12, 2], [7, 8, 2], [20, 21, 3]))).toEqual([
      { round: 2, at: 7000 },
      { round: 3, at: 20_000 },
    ]);
  });
});
