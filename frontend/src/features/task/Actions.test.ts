import { describe, expect, it } from 'vitest';
import { actionsFor, requestFor } from './Actions';

describe('actionsFor', () => {
  it.each([
    ['failed', 'exit', ['resume', 'rerun', 'downstream', 'success', 'skip']],
    ['unknown', 'held', ['resume', 'rerun', 'downstream', 'success', 'skip']],
    ['unknown', 'silent', ['cancel', 'rerun']],
    ['running', '', ['cancel', 'rerun']],
    ['waiting', '', ['cancel', 'success', 'skip']],
    ['succeeded', '', ['rerun', 'downstream', 'skip']],
    ['skipped', 'upstream_failed', ['success', 'skip', 'rerun']],
  ] as const)('%s (%s): %j', (state, reason, want) => {
    expect(actionsFor({ state, reason })).toEqual(want);
  });
});

describe('requestFor', () => {
  it('names the task', () => {
    expect(requestFor('downstream', 'd')).toEqual({ action: 'rerun', tasks: ['d'], downstream: true });
    expect(requestFor('skip', 'd')).toEqual({ action: 'mark_skip', tasks: ['d'] });
  });
});
