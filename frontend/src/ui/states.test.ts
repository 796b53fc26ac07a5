import { describe, expect, it } from 'vitest';
import { shownBatch } from './states';

describe('the state of a batch', () => {
  it('is paused while somebody wants it so and it runs', () => {
    expect(shownBatch({ state: 'running', wish: 'pause' })).toBe('paused');
    expect(shownBatch({ state: 'running', wish: 'run' })).toBe('running');
    expect(shownBatch({ state: 'queued', wish: 'pause' })).toBe('queued');
    expect(shownBatch({ state: 'failed' })).toBe('failed');
  });
});
