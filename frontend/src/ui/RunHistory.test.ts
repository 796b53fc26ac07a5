import { describe, expect, it } from 'vitest';
import { barsOf, type RecentBatch } from './RunHistory';

const batch = (id: number, over: Partial<RecentBatch> = {}): RecentBatch => ({
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

describe('barsOf', () => {
  it('returns heights relative to the longest duration', () => {
    const got = barsOf([
      batch(1),
      batch(2, { finishedAt: '2026-11-21T11:00:05.000Z' }),
      batch(3, { state: 'running', finishedAt: undefined }),
      batch(4, { state: 'canceled', startedAt: undefined }),
    ]);
    expect(got.map((b) => b.height)).toEqual([1, 0.5, 1, 0.25]);
    expect(got.map((b) => b.duration)).toEqual([10_000, 5_000, undefined, undefined]);
    expect(barsOf()).toEqual([]);
  });
});
