import { describe, expect, it } from 'vitest';
import type { Definition, DefinitionRetry } from '@/api/definition';
import { toGraph } from '@/graph';
import { criticalPathOf, slackOf } from './critical';
import { linesOf, ranAt, spansOf } from './lines';
import type { Row } from './rows';
import { rowsWith, type TestBar } from './testRows';
import { holdersOf, retryPauses, roundsOf, Waits } from './waits';

// Two tasks, two that need one each, one that needs both of those, and one that waits for all.
const definition: Definition = {
  apiVersion: 'hivego/v1',
  kind: 'Schedule',
  name: 'night',
  jobs: [
    {
      key: 'one',
      tasks: [
        { key: 'a', handler: 'shell' },
        { key: 'b', handler: 'shell', retry: { max: 3, delay: '10s', backoff: 2, maxDelay: '15s' } },
      ],
    },
    { key: 'two', tasks: [{ key: 'c', handler: 'shell', needs: ['a', 'b'] }] },
    { key: 'three', tasks: [{ key: 'd', handler: 'shell' }] },
  ],
};
const graph = toGraph(definition);
const pauseOf = retryPauses(definition);

interface Options {
  runs?: Parameters<typeof rowsWith>[1];
  now?: number;
  round?: number;
  roundAt?: number;
}
const iso = (s: number) => new Date(s * 1000).toISOString();
const waitsOf = (bars: Record<string, readonly TestBar[]>, { runs, now = 0, round = 1, roundAt }: Options = {}) => {
  const rows = rowsWith(bars, runs);
  const rounds = roundsOf(rows, { startedAt: iso(0), round, roundAt: iso(roundAt ?? 0) });
  return new Waits({ rows, graph, rounds, pauseOf, live: now > 0, now: now * 1000 });
};
const inSeconds = (waits: Waits, row: number) =>
  waits.of(row).map(({ kind, from, to }) => [kind, from / 1000, to === undefined ? undefined : to / 1000]);
const aim = (more: Partial<Parameters<typeof criticalPathOf>[1]> = {}) => ({
  round: 1,
  live: false,
  allowed: new Set<string>(),
  ...more,
});
const keysOn = (waits: Waits, path: ReturnType<typeof criticalPathOf>) =>
  path?.steps.map((step) => waits.flow.rows[step.row]?.run.key).join('');

describe('waits', () => {
  it('are for the rest of the needs, for a slot, and for the start', () => {
    const waits = waitsOf({ a: [[0, 20]], b: [[2, 50]], c: [[63, 70, 1, 60]], d: [[70, 80, 1, 70]] });
    expect(inSeconds(waits, 0)).toEqual([]);
    expect(inSeconds(waits, 1)).toEqual([['slot', 0, 2]]);
    expect(inSeconds(waits, 2)).toEqual([
      ['needs', 20, 50],
      ['slot', 50, 60],
      ['start', 60, 63],
    ]);
    expect(inSeconds(waits, 3)).toEqual([['needs', 20, 70]]);
  });
  it('contain the pause before a retry, which grows and has a limit', () => {
    const failed = (from: number, to: number): TestBar => [from, to, 1, from, 'failed'];
    const waits = waitsOf({ a: [[0, 1]], b: [failed(0, 5), failed(17, 20), failed(40, 41)] });
    expect(inSeconds(waits, 1)).toEqual([
      ['retry', 5, 15],
      ['slot', 15, 17],
      ['retry', 20, 35],
      ['slot', 35, 40],
    ]);
    expect(pauseOf('a', 1)).toBe(0);
  });
  it('contain the longest pause that jitter allows', () => {
    const task = (retry: DefinitionRetry) => ({ key: 'a', handler: 'shell', retry });
    const pause = (retry: DefinitionRetry) =>
      retryPauses({ ...definition, jobs: [{ key: 'one', tasks: [task(retry)] }] })('a', 2);
    expect(pause({ delay: '10s', backoff: 2, jitter: 0.5 })).toBe(30_000);
    expect(pause({ delay: '10s', backoff: 2, jitter: 0.5, maxDelay: '25s' })).toBe(25_000);
  });
  it('of a later round begin with it', () => {
    const waits = waitsOf(
      {
        a: [[0, 10]],
        b: [[0, 10]],
        c: [
          [10, 20, 1, 10, 'failed'],
          [1003, 1010, 2, 1003],
        ],
        d: [[1010, 1011, 2, 1010]],
      },
      { round: 2, roundAt: 1000 },
    );
    expect(inSeconds(waits, 2)).toEqual([['slot', 1000, 1003]]);
    const path = criticalPathOf(waits, aim({ round: 2 }));
    expect(keysOn(waits, path)).toBe('cd');
    expect(path).toMatchObject({ total: 11_000, sums: { ran: 8000, slot: 3000 } });
  });
  it('go on while a task waits', () => {
    const bars = { a: [[0, 20]], b: [[0, undefined]], c: [], d: [] } as const;
    expect(inSeconds(waitsOf(bars, { now: 30 }), 2)).toEqual([['needs', 20, undefined]]);
    const ready = waitsOf({ ...bars, b: [[0, 25]] }, { now: 30, runs: { c: { state: 'ready' } } });
    expect(inSeconds(ready, 2)).toEqual([
      ['needs', 20, 25],
      ['slot', 25, undefined],
    ]);
    const pausing = waitsOf(
      { a: [[0, 1]], b: [[0, 5, 1, 0, 'failed']] },
      { now: 8, runs: { b: { state: 'ready', notBefore: iso(15) } } },
    );
    expect(inSeconds(pausing, 1)).toEqual([['retry', 5, undefined]]);
    expect(inSeconds(waitsOf(bars), 2)).toEqual([]);
  });
  it('pass through tasks that did not run', () => {
    const waits = waitsOf(
      { a: [[0, 20]], b: [[0, 30]], c: [], d: [[34, 40, 1, 34]] },
      { runs: { c: { state: 'ignored' } } },
    );
    expect(inSeconds(waits, 3)).toEqual([
      ['needs', 20, 30],
      ['slot', 30, 34],
    ]);
    expect(keysOn(waits, criticalPathOf(waits, aim()))).toBe('bd');
  });
  it('know who had the slots', () => {
    const waits = waitsOf({ a: [[0, 20]], b: [[5, 50, 1, 5]], c: [[50, 60, 1, 50]], d: [[60, 70, 1, 60]] });
    const { rows } = waits.flow;
    const row = rows[1] as Row;
    const wait = waits.of(1)[0];
    expect(wait && holdersOf(rows, row, wait, 0, () => 'default')).toEqual(['a']);
    expect(wait && holdersOf(rows, { ...row, bars: [] }, wait, 0, (task) => task)).toEqual([]);
  });
});

describe('the critical path', () => {
  const bars = { a: [[0, 20]], b: [[2, 50, 1, 2]], c: [[63, 70, 1, 60]], d: [[70, 80, 1, 70]] } as const;
  it('leads to the end, and its parts fill the time', () => {
    const waits = waitsOf(bars);
    const path = criticalPathOf(waits, aim());
    expect(keysOn(waits, path)).toBe('bcd');
    expect(path).toMatchObject({
      to: 'end',
      total: 80_000,
      sums: { ran: 48_000 + 7000 + 10_000, slot: 2000 + 10_000, start: 3000 },
    });
  });
  it('leads to the first failure that is not allowed', () => {
    const failed = { ...bars, a: [[0, 20, 1, 0, 'failed']], c: [[63, 70, 1, 60, 'failed']] } as const;
    const waits = waitsOf(failed);
    expect(keysOn(waits, criticalPathOf(waits, aim()))).toBe('a');
    const allowed = criticalPathOf(waits, aim({ allowed: new Set(['a']) }));
    expect([allowed?.to, keysOn(waits, allowed)]).toEqual(['failure', 'bc']);
  });
  it('of a running batch leads to what is expected to end last', () => {
    const waits = waitsOf({ a: [[0, undefined]], b: [[0, undefined]], c: [], d: [] }, { now: 30 });
    const usual = new Map([['b', { took: 90_000 }]]);
    expect(criticalPathOf(waits, aim({ live: true, usual }))).toMatchObject({ to: 'now', total: 30_000 });
    expect(keysOn(waits, criticalPathOf(waits, aim({ live: true, usual })))).toBe('b');
  });
  it('does not exist before anything ran', () => {
    expect(criticalPathOf(waitsOf({ a: [], b: [] }), aim())).toBeUndefined();
  });
  it('leaves slack to the other tasks', () => {
    expect(slackOf(waitsOf(bars), 1)).toEqual([30_000, 0, 0, 0]);
    expect(slackOf(waitsOf({ ...bars, d: [] }), 1)).toEqual([30_000, 0, 0, undefined]);
  });
});

describe('lines', () => {
  const rows = rowsWith(
    { a: [[5, 20]], b: [[2, 50, 1, 2, 'failed']], c: [[63, 70]], d: [] },
    { a: { job: 'one' }, b: { job: 'one' }, c: { job: 'two' }, d: { job: 'two' } },
  );
  const shown = rows.map((row) => row.run);
  const text = (more: Partial<Parameters<typeof linesOf>[1]>) =>
    linesOf(rows, { order: 'job', shown, isFolded: () => false, ...more }).map((line) => line.key);
  it('are by job, by start, or failed first', () => {
    expect(text({})).toEqual(['/one', 'a', 'b', '/two', 'c', 'd']);
    expect(text({ isFolded: (job) => job === 'one' })).toEqual(['/one', '/two', 'c', 'd']);
    expect(text({ order: 'started' })).toEqual(['b', 'a', 'c', 'd']);
    expect(text({ order: 'failed' })).toEqual(['b', 'd', 'a', 'c']);
    expect(text({ shown: shown.slice(2, 3) })).toEqual(['/two', 'c']);
  });
  it('have no heads without jobs', () => {
    const adhoc = rowsWith({ a: [], b: [] }, { a: { job: '' }, b: { job: '' } });
    const all = adhoc.map((row) => row.run);
    expect(linesOf(adhoc, { order: 'job', shown: all, isFolded: () => true })).toHaveLength(2);
  });
  it('have shards below their task, in every order', () => {
    const shards = rowsWith({ 'b.0': [[2, 5]], 'b.1': [[2, 50]] });
    const shardsOf = ({ run }: (typeof rows)[number]) => (run.key === 'b' ? shards : []);
    expect(text({ shardsOf })).toEqual(['/one', 'a', 'b', 'b.0', 'b.1', '/two', 'c', 'd']);
    expect(text({ shardsOf, isFolded: (job) => job === 'one' })).toEqual(['/one', '/two', 'c', 'd']);
    expect(text({ shardsOf, order: 'started' })).toEqual(['b', 'b.0', 'b.1', 'a', 'c', 'd']);
    const lines = linesOf(rows, { order: 'started', shown, isFolded: () => false, shardsOf });
    expect(lines.map((line) => ranAt(rows, line, 10_000, 0))).toEqual([true, false, true, true, false, false]);
  });
  it('know when they ran', () => {
    const lines = linesOf(rows, { order: 'job', shown, isFolded: (job) => job === 'one' });
    expect(lines.map((line) => ranAt(rows, line, 10_000, 0))).toEqual([true, false, false, false]);
    expect(lines.map((line) => ranAt(rows, line, 65_000, 0))).toEqual([false, false, true, false]);
    expect(spansOf(rows, [0, 1, 2], 0)).toEqual([
      [2000, 50_000],
      [63_000, 70_000],
    ]);
    expect(spansOf(rows, [0, 1, 2], 0, 13_000)).toHaveLength(1);
  });
});
