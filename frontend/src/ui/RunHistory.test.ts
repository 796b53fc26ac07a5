import { describe, expect, it } from 'vitest';
import { bars, type RecentBatch } from './RunHistory';

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

describe('bars', () => {
  it('are as high as their duration against the longest', () => {
    const got = bars([
      batch(1),
      batch(2, { finishedAt: '2026-11-21T11:00:05.000Z' }),
      batch(3, { state: 'running', finishedAt: undefined }),
      batch(4, { state: 'canceled', startedAt: undefined }),
    ]);
    expect(got.map((b) => b.height)).toEqual([1, 0.5, 1, 0.25]);
    expect(got.map((b) => b.took)).toEqual([10_000, 5_000, undefined, undefined]);
    expect(bars()).toEqual([]);
  });
});
