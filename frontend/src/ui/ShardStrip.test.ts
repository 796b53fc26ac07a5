import { describe, expect, it } from 'vitest';
import { doneShards, stripOf } from './ShardStrip';

const shards = (...states: string[]) => states.map((state) => ({ state }) as Parameters<typeof stripOf>[0][number]);

describe('the strip of shards', () => {
  it('shows a few shards in order, one part each', () => {
    expect(stripOf(shards('succeeded', 'running', 'succeeded'))).toEqual([
      { state: 'succeeded', count: 1 },
      { state: 'running', count: 1 },
      { state: 'succeeded', count: 1 },
    ]);
  });

  it('shows many shards as one part for each state', () => {
    const many = shards(...Array.from({ length: 500 }, (_, i) => (i % 5 === 0 ? 'failed' : 'succeeded')));
    expect(stripOf(many)).toEqual([
      { state: 'succeeded', count: 400 },
      { state: 'failed', count: 100 },
    ]);
  });

  it('counts what needs nothing more', () => {
    expect(doneShards(shards('succeeded', 'ignored', 'skipped', 'failed', 'running'))).toBe(3);
  });
});
