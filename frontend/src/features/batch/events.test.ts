import { describe, expect, it } from 'vitest';
import type { Schemas } from '@/api/client';
import type { Batch, TaskRun } from '@/live';
import {
  actorsOf,
  type BatchCommand,
  type BatchEvent,
  declaredRuns,
  eventsOf,
  filterEvents,
  firstRevision,
  LISTED_FAILURES,
  publishedDuring,
  type Round,
  type Source,
  whereTimeWent,
} from './events';

/** A moment of the night in milliseconds, from `03:20`. */
const ms = (time: string) => Date.parse(`2026-11-24T${time}:00.000Z`);
const iso = (time: string) => new Date(ms(time)).toISOString();

const batch = (over: Partial<Batch> = {}): Batch =>
  ({
    id: 7,
    schedule: 'warehouse',
    revision: 12,
    kind: 'scheduled',
    state: 'succeeded',
    wish: 'run',
    reason: '',
    round: 2,
    live: false,
    moment: iso('03:20'),
    createdAt: iso('03:20'),
    createdBy: '',
    finishedAt: iso('04:40'),
    params: {},
    tasks: [],
    ...over,
  }) as Batch;

const run = (key: string, over: Partial<TaskRun> = {}): TaskRun => ({
  number: 0,
  key,
  job: 'j',
  state: 'succeeded',
  reason: '',
  attempts: 1,
  executor: 'e1',
  error: '',
  round: 1,
  ...over,
});

const attempt = (task: string, round: number, from: string, to: string, error = ''): Schemas['Attempt'] => ({
  id: round,
  task,
  number: round,
  round,
  executor: 'e1',
  state: 'ended',
  outcome: error ? 'failure' : 'success',
  offeredAt: iso(from),
  startedAt: iso(from),
  finishedAt: iso(to),
  error,
});

const command = (id: number, at: string, over: Partial<BatchCommand> = {}): BatchCommand => ({
  id,
  kind: 'repair',
  state: 'applied',
  action: 'resume',
  note: '',
  asked: 0,
  tasks: ['load'],
  changes: [],
  createdAt: iso(at),
  createdBy: 'ada',
  doneAt: iso(at),
  ...over,
});

const failedLoad = run('load', { state: 'failed', finishedAt: iso('03:47') });
const skippedReport = run('report', { state: 'skipped', reason: 'upstream_failed', cause: 'load' });
const rounds: Round[] = [
  { round: 2, runs: [run('load', { round: 2 }), run('report', { round: 2 })], from: ms('04:31'), to: ms('04:40') },
  { round: 1, runs: [failedLoad, skippedReport], from: ms('03:20'), to: ms('03:47') },
];
const source: Source = {
  batch: batch(),
  rounds,
  attempts: [attempt('load', 1, '03:20', '03:47', 'no such column\nline 2'), attempt('load', 2, '04:31', '04:40')],
  commands: [command(5, '04:31', { round: 2, note: 'renamed upstream' })],
  revisions: [{ number: 13, hash: 'h', createdAt: iso('04:29'), createdBy: 'ada' }],
  taker: { name: 'bob', at: iso('04:14'), note: '' },
};

const names = (events: readonly BatchEvent[]) => events.map((e) => `${String(e.round)} ${e.type}`);

describe('the events of a batch', () => {
  it('are newest first, and what happens after a round belongs to the one that it leads to', () => {
    expect(names(eventsOf(source))).toEqual(['2 ended', '2 command', '2 published', '2 taken', '1 failed', '1 begun']);
  });

  it('name the last attempt of a failure, and how many tasks were skipped because of it', () => {
    const failed = eventsOf(source).find((e) => e.type === 'failed');
    expect(failed).toMatchObject({ skipped: 1, last: { error: 'no such column\nline 2' } });
  });

  it('count failures beyond the first ones', () => {
    const runs = Array.from({ length: LISTED_FAILURES + 3 }, (_, n) =>
      run(`t${String(n)}`, { state: 'failed', finishedAt: iso(`03:${String(20 + n)}`) }),
    );
    const events = eventsOf({ ...source, batch: batch({ round: 1 }), rounds: [{ round: 1, runs }], commands: [] });
    expect(events.filter((e) => e.type === 'failed')).toHaveLength(LISTED_FAILURES);
    expect(events.find((e) => e.type === 'more')).toMatchObject({ failed: 3, at: ms('03:27') });
  });

  it('do not repeat a failure in a round in which the task did not run', () => {
    const again = { round: 2, runs: [failedLoad], from: ms('04:31'), to: ms('04:40') };
    const events = eventsOf({ ...source, rounds: [again, ...rounds.slice(1)] });
    expect(events.filter((e) => e.type === 'failed').map((e) => e.round)).toEqual([1]);
  });

  it('have no end while the batch is live, and no round before the first', () => {
    const live = batch({ live: true, finishedAt: undefined, round: 1, state: 'running' });
    const paused = command(6, '03:25', { kind: 'wish', wish: 'pause', action: undefined, round: undefined });
    const events = eventsOf({ ...source, batch: live, rounds: rounds.slice(1), commands: [paused], taker: undefined });
    expect(names(events)).toEqual(['1 published', '1 failed', '1 command', '1 begun']);
  });

  it('can be those of persons, or failures', () => {
    const events = eventsOf({
      ...source,
      commands: [...source.commands, command(4, '04:35', { replaced: true, createdBy: 'overlap' })],
    });
    expect(names(filterEvents(events, 'persons', source.batch))).toEqual(['2 command', '2 published', '2 taken']);
    expect(names(filterEvents(events, 'failures', source.batch))).toEqual(['1 failed']);
    expect(filterEvents(events, 'all', source.batch)).toHaveLength(7);
  });
});

describe('the revisions of a batch', () => {
  const revision = (at: string) => ({ number: 1, hash: 'h', createdAt: iso(at), createdBy: 'ada' });
  const all = [revision('03:00'), revision('03:30'), revision('05:00')];
  it('are those that were published before it was over', () => {
    expect(publishedDuring(batch(), all)).toEqual([all[1]]);
    expect(publishedDuring(batch({ live: true, finishedAt: undefined }), all)).toEqual(all.slice(1));
  });
});

it('a batch started with the newest revision of that time', () => {
  const revision = (number: number, at: string) => ({ number, hash: 'h', createdAt: iso(at), createdBy: 'ada' });
  expect(firstRevision(batch(), [revision(11, '03:00'), revision(13, '04:29')])).toBe(11);
  expect(firstRevision(batch(), [])).toBe(12);
});

describe('where the time went', () => {
  const minutes = (b: Batch, s: Source, now = '06:00') => {
    const { total, ran, untouched, rest } = whereTimeWent({ ...s, batch: b }, eventsOf(s), ms(now));
    return [total, ran, untouched, rest].map((n) => n / 60_000);
  };
  it('counts what ran, what nobody had looked at, and the rest', () => {
    expect(minutes(source.batch, source)).toEqual([80, 36, 27, 17]);
  });
  it('counts overlapping attempts once, and those that run until now', () => {
    const running = { ...attempt('b', 1, '03:40', '03:40'), finishedAt: undefined };
    const live = batch({ live: true, finishedAt: undefined, round: 1, state: 'running' });
    const s = { ...source, batch: live, rounds: [], attempts: [attempt('a', 1, '03:20', '03:47'), running] };
    expect(minutes(live, s, '04:00')).toEqual([40, 40, 0, 0]);
  });
  it('counts until now while a failed batch is untouched', () => {
    const failed = batch({ state: 'failed', round: 1, finishedAt: iso('03:47') });
    const s = {
      ...source,
      batch: failed,
      rounds: rounds.slice(1),
      attempts: source.attempts.slice(0, 1),
      commands: [],
      revisions: [],
      taker: undefined,
    };
    expect(minutes(failed, s)).toEqual([160, 27, 133, 0]);
    const closed = { ...failed, closedNote: 'not needed' };
    expect(minutes(closed, { ...s, batch: closed })).toEqual([27, 27, 0, 0]);
  });
  it('begins with the start of a batch that was started by hand', () => {
    const manual = batch({ kind: 'manual', createdBy: 'ada', createdAt: iso('04:00') });
    expect(minutes(manual, { ...source, batch: manual })[0]).toBe(40);
  });
});

describe('who acted', () => {
  it('is in the order of the first action', () => {
    expect(actorsOf(eventsOf(source), source.batch)).toEqual([
      { name: 'bob', count: 1, from: ms('04:14'), to: ms('04:14') },
      { name: 'ada', count: 2, from: ms('04:29'), to: ms('04:31') },
    ]);
  });
});

it('declared runs are those that a person marked', () => {
  const marked = run('a', { reason: 'person', detail: 'ada' });
  expect(declaredRuns([marked, run('b'), run('c', { reason: 'person', state: 'canceled' })])).toEqual([marked]);
});
