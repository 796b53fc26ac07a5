import { describe, expect, it } from 'vitest';
import type { Batch, TaskRun } from '@/live';
import { asRun, runsOfRound } from './History';
import { checkBatchSearch } from './search';
import { allowedToFail, elapsed, mood, summarize } from './summary';

const run = (number: number, state: TaskRun['state'], more: Partial<TaskRun> = {}): TaskRun => ({
  number,
  key: `t${String(number)}`,
  job: 'j',
  state,
  reason: '',
  attempts: 1,
  executor: '',
  error: '',
  round: 1,
  ...more,
});

describe('summarize', () => {
  it('counts done, failed and blocked runs, and the runs that a resume would start', () => {
    const s = summarize(
      [
        run(0, 'succeeded'),
        run(1, 'ignored'),
        run(2, 'failed'),
        run(3, 'failed'),
        run(4, 'skipped', { reason: 'upstream_failed' }),
        run(5, 'skipped', { reason: 'rule' }),
        run(6, 'canceled'),
        run(7, 'unknown', { reason: 'held' }),
        run(8, 'unknown', { reason: 'silent' }),
        run(9, 'ready', { notBefore: '2026-11-22T00:00:00Z' }),
        run(10, 'running'),
      ],
      new Set(['t3']),
    );
    expect(s).toMatchObject({ total: 11, done: 4, resumable: 4 });
    expect([s.failed, s.blocked, s.held].map((l) => l.map((r) => r.number))).toEqual([[2], [4], [7]]);
    expect(s.counts).toEqual({
      succeeded: 1,
      ignored: 1,
      failed: 2,
      skipped: 2,
      canceled: 1,
      unknown: 2,
      retrying: 1,
      running: 1,
    });
  });
  it('counts nothing to resume for skipped runs alone, or for allowed failures', () => {
    expect(
      summarize([run(0, 'succeeded'), run(1, 'skipped', { reason: 'upstream_failed' })], new Set()).resumable,
    ).toBe(0);
    expect(summarize([run(0, 'failed')], new Set(['t0'])).resumable).toBe(0);
  });
  it('finds the tasks of a definition whose failure is allowed', () => {
    const tasks = [
      { key: 'a', handler: 'shell', allowFailure: true },
      { key: 'b', handler: 'shell' },
    ];
    expect(
      allowedToFail({ apiVersion: '', kind: '', name: '', jobs: [{ key: 'j', tasks }, { key: 'empty' }] }),
    ).toEqual(new Set(['a']));
    expect(allowedToFail(undefined).size).toBe(0);
  });
});

describe('a batch', () => {
  const at = (s: number) => new Date(s * 1000).toISOString();
  it('lasts from the start of its round until now or its end', () => {
    expect(elapsed({ live: true, startedAt: at(0), roundAt: at(100) }, 130_000)).toBe(30_000);
    expect(elapsed({ live: false, startedAt: at(0), finishedAt: at(50) }, 130_000)).toBe(50_000);
    expect(elapsed({ live: true, startedAt: at(200) }, 130_000)).toBe(0);
    expect(elapsed({ live: true }, 130_000)).toBeUndefined();
  });
  it.each<[Partial<Batch>, string]>([
    [{ state: 'running', live: true, wish: 'run' }, 'running'],
    [{ state: 'running', live: true, wish: 'pause' }, 'paused'],
    [{ state: 'queued', live: true, wish: 'cancel' }, 'canceling'],
    [{ state: 'canceled', live: false, wish: 'cancel' }, 'canceled'],
    [{ state: 'failed', live: false, wish: 'run', closedNote: '' }, 'closed'],
    [{ state: 'failed', live: false, wish: 'run' }, 'failed'],
    [{ state: 'running', live: true, wish: 'pause', stuck: 'disk full' }, 'stuck'],
  ])('%o shows as %s', (batch, want) => {
    expect(mood(batch as Batch)).toBe(want);
  });
});

describe('the runs of a round', () => {
  const now = [run(0, 'succeeded'), run(1, 'running', { round: 3, executor: 'e' }), run(2, 'waiting', { round: 2 })];
  const row = (state: TaskRun['state'], round: number) => ({
    number: 1,
    key: 't1',
    job: 'j',
    state,
    reason: '',
    attempts: 1,
    round,
  });
  const past = [row('failed', 1), row('succeeded', 2)];
  it.each([
    [1, ['succeeded', 'failed']],
    [2, ['succeeded', 'succeeded', 'waiting']],
    [3, ['succeeded', 'running', 'waiting']],
  ])('%d are those of the latest round up to it', (round, states) => {
    expect(runsOfRound(now, past, round).map((r) => r.state)).toEqual(states);
  });
  it('have the shape of task runs', () => {
    expect(asRun({ ...past[0]!, state: 'failed', detail: 'boom' })).toMatchObject({ executor: '', error: 'boom' });
    expect(asRun({ ...past[0]!, state: 'succeeded', detail: 'ann' })).toMatchObject({ error: '' });
    expect(asRun(now[1]!)).toBe(now[1]);
  });
});

describe('the address', () => {
  it('keeps valid values and drops the others', () => {
    expect(
      checkBatchSearch({
        view: 'table',
        task: 7,
        q: true,
        only: 'failed',
        sort: '-duration',
        round: 2,
        attempt: 1,
        at: 0,
        x: 1,
      }),
    ).toEqual({ view: 'table', task: '7', q: 'true', only: 'failed', sort: '-duration', round: 2, attempt: 1, at: 0 });
    expect(
      checkBatchSearch({ view: 'graph', task: '', q: {}, only: 3, sort: 'a b', round: 0, attempt: -1, at: 1.5 }),
    ).toEqual({});
  });
});
