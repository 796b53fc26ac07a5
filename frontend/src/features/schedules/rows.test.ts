import { describe, expect, it } from 'vitest';
import type { Schemas } from '@/api/client';
import {
  batchThatNeedsPerson,
  otherOpenBatches,
  latestBatch,
  type Recent,
  rowState,
  type Schedule,
  sortedRows,
  withBatches,
} from './rows';
import { checkSchedulesSearch } from './search';

const batch = (id: number, over: Partial<Recent> = {}): Recent => ({
  id,
  state: 'succeeded',
  kind: 'scheduled',
  round: 1,
  moment: '2026-11-21T11:00:00.000Z',
  counts: { succeeded: 3 },
  startedAt: '2026-11-21T11:00:00.000Z',
  finishedAt: '2026-11-21T11:00:10.000Z',
  ...over,
});
const schedule = (name: string, over: Partial<Schedule> = {}): Schedule => ({
  name,
  enabled: true,
  revision: 1,
  createdAt: '',
  updatedAt: '',
  ...over,
});
const names = (rows: readonly Schedule[]) => rows.map((s) => s.name).join(' ');

describe('batchThatNeedsPerson', () => {
  it.each<[string, Recent[] | undefined, number | undefined]>([
    ['no batch', undefined, undefined],
    ['no failure', [batch(1)], undefined],
    ['the latest batch failed', [batch(1), batch(2, { state: 'failed' })], 2],
    ['an earlier batch failed', [batch(1, { state: 'failed' }), batch(2)], undefined],
    ['the latest batch failed and was closed', [batch(1, { state: 'failed', closed: true })], undefined],
    ['a running batch has a failed task', [batch(1, { state: 'running', counts: { failed: 1 } })], 1],
    [
      'another batch runs beside it',
      [batch(1, { state: 'running', counts: { failed: 1 } }), batch(2, { state: 'running', counts: {} })],
      1,
    ],
    ['a canceled batch had a failed task', [batch(1, { state: 'canceled', counts: { failed: 1 } })], undefined],
  ])('%s', (_, recent, id) => {
    expect(batchThatNeedsPerson(schedule('s', { recent }))?.id).toBe(id);
  });
});

describe('open failures', () => {
  const failed = (id: number) => batch(id, { state: 'failed' });
  it('beside the one that the row shows', () => {
    expect(otherOpenBatches(schedule('s', { recent: [batch(9)], open: 2 }))).toBe(2);
    expect(otherOpenBatches(schedule('s', { recent: [failed(9)], open: 2 }))).toBe(1);
    expect(otherOpenBatches(schedule('s', { recent: [failed(9)] }))).toBe(0);
  });
  it('follow live changes', () => {
    const change = (over: object) => ({ ...failed(9), schedule: 's', createdBy: '', ...over }) as never;
    const one = withBatches(schedule('s', { recent: [batch(8)] }), [change({})]);
    expect(one.open).toBe(1);
    expect(withBatches(one, [change({ state: 'running' })]).open).toBeUndefined();
    expect(withBatches(one, [change({ closedNote: 'known' })]).open).toBeUndefined();
  });
});

describe('sortedRows', () => {
  const rows = [
    schedule('b', { tags: ['finance', 'night'], usualSeconds: 3, nextAt: ['2026-11-22T00:00:00.000Z'] }),
    schedule('a', { title: '数据 Warehouse', usualSeconds: 9, nextAt: ['2026-11-21T13:00:00.000Z'] }),
    schedule('z', { recent: [batch(3, { state: 'failed' })] }),
    schedule('y', { recent: [batch(2, { state: 'running' })], enabled: false, nextAt: ['2026-11-21T12:30:00.000Z'] }),
  ];
  it.each<[Record<string, unknown>, string]>([
    [{}, 'b a z y'], // the order of the server
    [{ sort: 'name' }, 'a b y z'],
    [{ sort: 'name', desc: true }, 'z y b a'],
    [{ sort: 'next' }, 'a b y z'],
    [{ sort: 'next', desc: true }, 'b a y z'],
    [{ sort: 'usual' }, 'b a y z'],
    [{ sort: 'usual', desc: true }, 'a b y z'],
    [{ desc: true }, 'b a z y'],
    [{ show: 'nonsense', sort: 7 }, 'b a z y'],
  ])('%o', (search, want) => {
    expect(names(sortedRows(rows, checkSchedulesSearch(search)))).toBe(want);
  });
  it('does not change its argument', () => {
    sortedRows(rows, { sort: 'name' });
    expect(names(rows)).toBe('b a z y');
  });
});

describe('changes of batches', () => {
  const summary = (id: number, over: Partial<Schemas['BatchSummary']> = {}): Schemas['BatchSummary'] => ({
    id,
    schedule: 's',
    revision: 1,
    kind: 'scheduled',
    state: 'running',
    wish: 'run',
    reason: '',
    round: 1,
    live: true,
    moment: '2026-11-21T12:00:00.000Z',
    createdAt: '2026-11-21T12:00:00.000Z',
    createdBy: 'ada',
    roundAt: '2026-11-21T12:00:01.000Z',
    ...over,
  });
  const before = schedule('s', { recent: [batch(1), batch(2)], usualSeconds: 10 });

  it('append a new batch, and replace a known one in place', () => {
    const one = withBatches(before, [summary(3)]);
    expect(one.recent?.map((b) => b.id)).toEqual([1, 2, 3]);
    expect(rowState(one)).toBe('running');
    const two = withBatches(one, [
      summary(1, { state: 'running', round: 2, counts: { running: 1 } }),
      summary(3, { state: 'failed', live: false, closedNote: '', finishedAt: '2026-11-21T12:01:00.000Z' }),
    ]);
    expect(two.recent?.map((b) => `${String(b.id)} ${b.state}`)).toEqual(['1 running', '2 succeeded', '3 failed']);
    expect(latestBatch(two)).toMatchObject({ closed: true, finishedAt: '2026-11-21T12:01:00.000Z' });
    expect(two.recent?.[0]).toMatchObject({ round: 2, counts: { running: 1 }, startedAt: '2026-11-21T12:00:01.000Z' });
  });
  it('keep counts that a change does not contain, and the maximum number of batches', () => {
    expect(withBatches(before, [summary(2)]).recent?.[1]?.counts).toEqual({ succeeded: 3 });
    const full = schedule('s', { recent: Array.from({ length: 24 }, (_, i) => batch(i + 1)) });
    expect(
      withBatches(full, [summary(30)])
        .recent?.map((b) => b.id)
        .slice(-2),
    ).toEqual([24, 30]);
    expect(withBatches(full, [summary(30)]).recent).toHaveLength(24);
  });
  it('are ignored for another schedule, an adhoc batch, or an older batch', () => {
    expect(withBatches(before, [summary(3, { schedule: 't' }), summary(4, { kind: 'adhoc' })])).toBe(before);
    expect(withBatches(schedule('s', { recent: [batch(5)] }), [summary(4)]).recent?.map((b) => b.id)).toEqual([5]);
  });
});
