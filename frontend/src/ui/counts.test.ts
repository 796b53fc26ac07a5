import { describe, expect, it } from 'vitest';
import { done, segments, total } from './counts';

describe('counts', () => {
  it('are drawn from done to to come, without empty parts', () => {
    expect(segments({ waiting: 2, failed: 1, succeeded: 4, running: 0 })).toEqual([
      { state: 'succeeded', count: 4 },
      { state: 'failed', count: 1 },
      { state: 'waiting', count: 2 },
    ]);
    expect(segments({})).toEqual([]);
  });
  it('leave out states that this page does not know', () => {
    expect(total({ succeeded: 1, dreaming: 7 })).toBe(1);
  });
  it('know how many are done', () => {
    const counts = { succeeded: 2, ignored: 1, skipped: 1, failed: 1 };
    expect(done(counts, 'failed')).toBe(3);
    expect(done(counts, 'succeeded')).toBe(5);
    expect(done({}, 'queued')).toBe(0);
    expect(total({ succeeded: 2, skipped: 1, failed: 1, ready: 3, unknown: 1 })).toBe(8);
  });
});
