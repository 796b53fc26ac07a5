import { describe, expect, it } from 'vitest';
import { doneCount, segments, totalCount } from './CountsBar';

describe('counts', () => {
  it('are shown from done to waiting, without empty parts', () => {
    expect(segments({ waiting: 2, failed: 1, succeeded: 4, running: 0 })).toEqual([
      { state: 'succeeded', count: 4 },
      { state: 'failed', count: 1 },
      { state: 'waiting', count: 2 },
    ]);
    expect(segments({})).toEqual([]);
  });
  it('leave out unknown states', () => {
    expect(totalCount({ succeeded: 1, unknown_state: 7 })).toBe(1);
  });
  it('include the number of done runs', () => {
    const counts = { succeeded: 2, ignored: 1, skipped: 1, failed: 1 };
    expect(doneCount(counts, 'failed')).toBe(3);
    expect(doneCount(counts, 'succeeded')).toBe(5);
    expect(doneCount({}, 'queued')).toBe(0);
    expect(totalCount({ succeeded: 2, skipped: 1, failed: 1, ready: 3, unknown: 1 })).toBe(8);
  });
});
