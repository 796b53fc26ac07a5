import { describe, expect, it } from 'vitest';
import { checkEditorSearch } from './search';

describe('the address of the editor', () => {
  it('keeps valid values, and leaves out invalid ones', () => {
    const search = { view: 'history', task: 'a', batch: 12, from: 1, to: 2, as: 'text' };
    expect(checkEditorSearch(search)).toEqual(search);
    expect(checkEditorSearch({ view: 'canvas', task: '', batch: 0, from: -1, to: 'x', as: 'no', other: 1 })).toEqual(
      {},
    );
    expect(checkEditorSearch({ task: 7, job: true })).toEqual({ task: '7', job: 'true' });
  });
});
