import { describe, expect, it } from 'vitest';
import type { Schemas } from '@/api/client';
import {
  type Answer,
  type Batch,
  cellOf,
  linesOf,
  median,
  merge,
  shares,
  statsOf,
  toGrid,
  tookOf,
  withLive,
} from './grid';
import { countMarks, isMarked, markArea, markFailed, NO_MARKS, toggle } from './marks';
import { isOpenIn, openFirst, toggledJobs } from './open';

const batch = (id: number, over: Partial<Batch> = {}): Batch => ({
  id,
  schedule: 's',
  revision: 1,
  kind: 'scheduled',
  state: 'succeeded',
  wish: 'run',
  reason: '',
  round: 1,
  live: false,
  moment: `2026-05-0${String(id)}T03:00:00Z`,
  createdAt: '2026-05-01T03:00:00Z',
  createdBy: '',
  ...over,
});

const row = (job: string, task: string, cells: string, took: number[] = [...cells].map(() => 0)) => ({
  job,
  task,
  cells,
  took,
});

/** Two batches, newest first: 2 and 1. */
const answer: Answer = {
  batches: [batch(2), batch(1)],
  rows: [row('j', 'a', 'fs', [3, 5]), row('j', 'b', 'k.', [0, 0]), row('k', 'c', 'ss', [7, 9])],
};

describe('merge', () => {
  it('replaces a column, and keeps the others', () => {
    const fresh: Answer = { batches: [batch(2, { round: 2 })], rows: [row('j', 'a', 'r', [4])] };
    const merged = merge(answer, fresh, 30);
    expect(merged.batches.map(({ id, round }) => [id, round])).toEqual([
      [2, 2],
      [1, 1],
    ]);
    expect(merged.rows.map(({ task, cells, took }) => [task, cells, took])).toEqual([
      ['a', 'rs', [4, 5]],
      ['b', '..', [0, 0]],
      ['c', '.s', [0, 9]],
    ]);
  });
  it('adds a batch with a new task, and drops the oldest one', () => {
    const fresh: Answer = { batches: [batch(3)], rows: [row('j', 'n', 's', [1]), row('k', 'c', 'f', [2])] };
    const merged = merge(answer, fresh, 2);
    expect(merged.batches.map(({ id }) => id)).toEqual([3, 2]);
    expect(merged.next).toBe(2);
    expect(merged.rows.map(({ task, cells }) => task + cells)).toEqual(['a.f', 'b.k', 'ns.', 'cfs']);
  });
});

describe('withLive', () => {
  const run = (key: string, over: Partial<Schemas['TaskRun']>) => ({
    key,
    state: 'running' as const,
    reason: '',
    attempts: 1,
    round: 1,
    ...over,
  });
  it('shows the runs of live batches, and keeps the rows that have not changed', () => {
    const grid = toGrid({ ...answer, batches: [batch(2, { live: true }), batch(1)] });
    const ended = { startedAt: '2026-05-01T03:00:00Z', finishedAt: '2026-05-01T03:00:02Z' };
    const next = withLive(
      grid,
      new Map([[2, [run('a', {}), run('c', { state: 'succeeded', ...ended, attempts: 2 })]]]),
    );
    expect(next.rows.map(({ cells, took }) => [cells, took])).toEqual([
      ['su', [5, 0]],
      ['.k', [0, 0]],
      ['sr', [9, 2000]],
    ]);
    expect(next.rows[1]).toBe(grid.rows[1]);
    expect(withLive(grid, new Map())).toBe(grid);
  });
  it('shows batches that have ended as the server does', () => {
    const grid = toGrid(answer);
    expect(withLive(grid, new Map([[2, [run('a', {})]]]))).toBe(grid);
  });
  it.each([
    [{ state: 'succeeded' as const }, 's'],
    [{ state: 'succeeded' as const, round: 2 }, 'r'],
    [{ state: 'succeeded' as const, reason: 'person' }, 'm'],
    [{ state: 'ignored' as const, reason: 'when' }, 'n'],
    [{ state: 'ignored' as const, reason: 'disabled' }, 'i'],
    [{ state: 'waiting' as const }, 'w'],
    [{ state: 'unknown' as const }, 'x'],
  ])('%j is the cell %s', (over, want) => {
    expect(cellOf(run('a', over))).toBe(want);
  });
});

describe('lines', () => {
  const grid = toGrid(answer);
  it('have the tasks of unfolded jobs', () => {
    const texts = linesOf(grid, (job) => job === 'j').map((line) => (line.kind === 'job' ? line.job : line.row.task));
    expect(texts).toEqual(['j', 'a', 'b', 'k']);
  });
  it('of folded jobs count the states of their tasks, the worst first', () => {
    expect(shares(grid.rows.slice(0, 2), 1)).toEqual([
      { cell: 'f', count: 1 },
      { cell: 'k', count: 1 },
    ]);
    expect(shares(grid.rows.slice(0, 2), 0)).toEqual([{ cell: 's', count: 1 }]);
  });
  it('are unfolded by the address, or else if there are few', () => {
    expect([...openFirst(grid, false)]).toEqual(['j', 'k']);
    const many = toGrid({
      ...answer,
      rows: [...answer.rows, ...Array.from({ length: 50 }, (_, i) => row('m', `m${String(i)}`, 'ss'))],
    });
    expect([...openFirst(many, false)]).toEqual(['j']);
    const isOpen = isOpenIn(undefined, new Set(['j']));
    expect(toggledJobs(grid, isOpen, 'k')).toBe('*');
    expect(toggledJobs(grid, isOpen, 'j')).toBe('-');
    expect(toggledJobs(grid, isOpenIn('*', new Set()), 'j')).toBe('k');
    expect(isOpenIn('-', new Set(['j']))('j')).toBe(false);
  });
});

describe('statistics', () => {
  it('count successes, and compare the latest durations with the usual one', () => {
    const cells = `${'s'.repeat(8)}fmk.`;
    const took = [10, 10, 10, 10, 10, 20, 20, 20, 99, 1, 0, 0];
    const stats = statsOf({ kind: 'task', row: row('j', 'a', cells, took) });
    expect(stats.rate).toBeCloseTo(9 / 10);
    expect(stats.usual).toBe(10);
    expect(stats.slower).toBe(true);
    expect(stats.trend).toEqual([10, 10, 10, 10, 10, 20, 20, 20]);
  });
  it('of a job take its longest task, and fail with any of its tasks', () => {
    const rows = [row('j', 'a', 'ss', [5, 8]), row('j', 'b', 'fs', [1, 3])];
    const stats = statsOf({ kind: 'job', job: 'j', place: 0, rows, open: false });
    expect([stats.rate, stats.usual, stats.slower]).toEqual([0.5, 8, false]);
  });
  it('are unknown without a success', () => {
    expect(statsOf({ kind: 'task', row: row('j', 'a', 'wk') })).toEqual({
      rate: undefined,
      usual: undefined,
      trend: [],
      slower: false,
    });
    expect(median([])).toBeUndefined();
    expect(median([4, 1])).toBe(2.5);
  });
  it('take the last round of a batch', () => {
    const at = Date.parse('2026-05-01T04:00:10Z');
    expect(tookOf(batch(1), at)).toBeUndefined();
    const running = batch(1, { startedAt: '2026-05-01T03:00:00Z', roundAt: '2026-05-01T04:00:00Z' });
    expect(tookOf(running, at)).toBe(10_000);
    expect(tookOf({ ...running, finishedAt: '2026-05-01T04:00:03Z' }, at)).toBe(3000);
  });
});

describe('marks', () => {
  const grid = toGrid(answer);
  const lines = linesOf(grid, () => true); // j, a, b, k, c
  it('have the tasks of an area that the batches have', () => {
    const marks = markArea(NO_MARKS, grid, lines, { x: 1, y: 2 }, { x: 0, y: 1 });
    expect([...marks].map(([id, tasks]) => [id, [...tasks]])).toEqual([
      [1, ['a']],
      [2, ['a', 'b']],
    ]);
    expect(countMarks(marks)).toBe(3);
    expect(isMarked(marks, grid, lines, { x: 1, y: 0 })).toBe(true);
    expect(isMarked(marks, grid, lines, { x: 0, y: 3 })).toBe(false);
  });
  it('of a job are those of its tasks', () => {
    const all = toggle(NO_MARKS, grid, lines, { x: 1, y: 0 });
    expect([...(all.get(2) ?? [])]).toEqual(['a', 'b']);
    const one = toggle(all, grid, lines, { x: 1, y: 1 });
    expect([...(one.get(2) ?? [])]).toEqual(['b']);
    expect(toggle(one, grid, lines, { x: 1, y: 2 }).size).toBe(0);
    expect(toggle(NO_MARKS, grid, lines, { x: 0, y: 2 })).toBe(NO_MARKS); // the batch has no such task
  });
  it('may be all failed tasks', () => {
    expect([...markFailed(grid)].map(([id, tasks]) => [id, [...tasks]])).toEqual([[2, ['a']]]);
  });
});
