import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Schemas } from '@/api/client';
import type { TaskRun } from '@/live';
import { nowOf, type Row, roundStarts, rowsInOrder, rowsOf, scaleOf, ticksOf } from './timeline';

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
  it('are in the order of the definition, or of their start', () => {
    const all = rowsOf(
      [
        run({ key: 'late', startedAt: at(9) }),
        run({ number: 1, key: 'never' }),
        run({ number: 2, key: 'early', startedAt: at(1) }),
      ],
      [],
    );
    const keys = (how: Parameters<typeof rowsInOrder>[1]) => rowsInOrder(all, how).map((row) => row.run.key);
    expect(keys({})).toEqual(['late', 'never', 'early']);
    expect(keys({ byStart: true })).toEqual(['early', 'late', 'never']);
    expect(keys({ started: true })).toEqual(['late', 'early']);
  });
  it('do not exist for a run that has not started', () => {
    expect(rowsOf([run()], [])[0]?.bars).toEqual([]);
  });
});

describe('the scale', () => {
  it('fills the width, and leaves space for the expected end', () => {
    const scale = scaleOf(rows([0, 10]), 0, 20_000, 200);
    expect([scale.x(0), scale.x(10_000), scale.x(20_000)]).toEqual([0, 100, 200]);
    expect([scale.x(-5), scale.x(99_000)]).toEqual([0, 200]);
  });
  it('shows a long pause as a narrow break', () => {
    const scale = scaleOf(rows([0, 60], [36_000, 36_060, 2]), 0, 0, 226);
    expect(scale.pieces.map((p) => [p.pause, p.x1 - p.x0])).toEqual([
      [false, 100],
      [true, 26],
      [false, 100],
    ]);
    expect(scale.x(36_000_000)).toBe(126);
  });
  it('keeps short pauses, such as before a retry', () => {
    expect(scaleOf(rows([0, 5], [65, 70]), 0, 0, 200).pieces).toHaveLength(1);
  });
  it('works before any attempt has a length', () => {
    const scale = scaleOf(rows([0, undefined], [121, undefined]), 0, 0, 300);
    expect(scale.pieces.every((p) => Number.isFinite(p.x0) && Number.isFinite(p.x1))).toBe(true);
    expect(scale.x(121_000)).toBeGreaterThanOrEqual(scale.x(0));
  });
  it('never decreases, for any attempts', () => {
    const span = fc.tuple(fc.nat(1_000_000), fc.option(fc.nat(5000), { nil: undefined }));
    fc.assert(
      fc.property(fc.array(span, { maxLength: 20 }), fc.nat(2_000_000), fc.nat(2000), (spans, now, width) => {
        const scale = scaleOf(
          rows(
            ...spans.map(
              ([from, duration]) =>
                [from, duration === undefined ? undefined : from + duration] as [number, number | undefined],
            ),
          ),
          now * 1000,
          0,
          width,
        );
        const xs = spans
          .flatMap(([from, duration]) => [from, from + (duration ?? 0)])
          .sort((a, b) => a - b)
          .map((s) => scale.x(s * 1000));
        for (const [n, x] of xs.entries()) {
          expect(Number.isFinite(x)).toBe(true);
          expect(x).toBeGreaterThanOrEqual((xs[n - 1] ?? 0) - 1e-6);
        }
      }),
    );
  });
  it('has marks at full hours of the zone, and none in a pause', () => {
    const scale = scaleOf(rows([0, 7200]), 0, 0, 420);
    expect(ticksOf(scale, 'Asia/Kolkata').map((t) => t.label)).toEqual(['05:30', '06:00', '06:30', '07:00', '07:30']);
    expect(ticksOf(scaleOf(rows([0, 12]), 0, 0, 300), 'UTC').map((t) => t.label)).toEqual([
      '00:00:00',
      '00:00:05',
      '00:00:10',
    ]);
    const broken = scaleOf(rows([0, 600], [90_000, 90_600]), 0, 0, 400);
    expect(ticksOf(broken, 'UTC').every((t) => t.at <= 600_000 || t.at >= 90_000_000)).toBe(true);
  });
  it('finds the starts of rounds', () => {
    expect(roundStarts(rows([0, 1], [9, 12, 2], [7, 8, 2], [20, 21, 3]))).toEqual([
      { round: 2, at: 7000 },
      { round: 3, at: 20_000 },
    ]);
  });
});
