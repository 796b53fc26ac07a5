import { describe, expect, it } from 'vitest';
import { initialForm, parallelOf, requestOf } from './form';

describe('the fields at first', () => {
  it('are the seven days before today', () => {
    expect(initialForm('2026-03-03')).toMatchObject({ from: '2026-02-24', to: '2026-03-02', existing: 'keep' });
  });
});

describe('the number of batches at once', () => {
  it.each([
    ['1', 1],
    ['100', 100],
    ['0', undefined],
    ['101', undefined],
    ['1.5', undefined],
    ['', undefined],
    ['-3', undefined],
  ])('%s', (text, n) => {
    expect(parallelOf(text)).toBe(n);
  });
});

describe('the request', () => {
  const form = initialForm('2026-03-03');
  it('leaves out what is empty', () => {
    expect(requestOf({ ...form, to: '' }, {})).toEqual({
      from: '2026-02-24',
      parallel: 1,
      order: 'asc',
      existing: 'keep',
      onFailure: 'stop',
    });
  });
  it('has all fields', () => {
    const full = { ...form, step: ' 1d ', note: ' for the audit ', parallel: '3', withDependants: true };
    expect(requestOf(full, { late: 30 })).toMatchObject({
      withDependants: true,
      to: '2026-03-02',
      step: '1d',
      note: 'for the audit',
      parallel: 3,
      params: { late: 30 },
    });
  });
  it('does not exist for fields that cannot be sent', () => {
    expect(requestOf({ ...form, from: '' }, {})).toBeUndefined();
    expect(requestOf({ ...form, parallel: 'many' }, {})).toBeUndefined();
  });
});
