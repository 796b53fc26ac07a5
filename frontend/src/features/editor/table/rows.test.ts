import { describe, expect, it } from 'vitest';
import type { Doc } from '@/document';
import { nextOrder, orderOf, rowsOf, rowsToShow } from './rows';

const doc: Doc = {
  apiVersion: 'hivego/v1',
  kind: 'Schedule',
  name: 'x',
  jobs: [
    {
      key: 'load',
      title: 'Laden',
      tasks: [
        { key: 'a10', handler: 'shell', timeout: '90s', params: { command: 'gzip -d Orders' } },
        { key: 'a9', handler: 'sql', timeout: '1m' },
      ],
    },
    { key: 'empty' },
    { key: 'mart', tasks: [{ key: 'b', title: 'Bericht', handler: 'shell', needs: ['a9'], priority: 9 }] },
  ],
};
const rows = rowsOf(doc, [
  { code: 'x', path: 'p', task: 'b' },
  { code: 'y', path: 'p', task: 'b' },
  { code: 'z', path: 'p' },
]);
const shown = (q?: string, sort?: string) => rowsToShow(rows, q, orderOf(sort)).map((row) => row.task.key);

describe('the rows of the table', () => {
  it('are the tasks in the order of the document, with their faults', () => {
    expect(rows.map((r) => [r.job, r.task.key, r.faults, r.waits])).toEqual([
      ['load', 'a10', 0, false],
      ['load', 'a9', 0, false],
      ['mart', 'b', 2, true],
    ]);
  });
  it('are found by every word, wherever it stands', () => {
    expect(shown('ORDERS')).toEqual(['a10']);
    expect(shown('laden sql')).toEqual(['a9']);
    expect(shown('a9')).toEqual(['a9', 'b']); // what needs it, too
    expect(shown('nothing like it')).toEqual([]);
    expect(shown('  ')).toHaveLength(3);
  });
  it('are sorted by what a column means, without a value last', () => {
    expect(shown(undefined, 'task')).toEqual(['a9', 'a10', 'b']);
    expect(shown(undefined, 'timeout')).toEqual(['a9', 'a10', 'b']);
    expect(shown(undefined, '-timeout')).toEqual(['a10', 'a9', 'b']);
    expect(shown(undefined, 'priority')).toEqual(['b', 'a10', 'a9']);
    expect(shown(undefined, '-handler')).toEqual(['a9', 'a10', 'b']);
    expect(shown(undefined, 'nonsense')).toEqual(['a10', 'a9', 'b']);
  });
  it('go up, down, and back', () => {
    expect(nextOrder(undefined, 'job')).toBe('job');
    expect(nextOrder(orderOf('job'), 'job')).toBe('-job');
    expect(nextOrder(orderOf('-job'), 'job')).toBeUndefined();
    expect(nextOrder(orderOf('-job'), 'rule')).toBe('rule');
  });
  it('compare durations by their length, what is none last', () => {
    const timeouts: Doc = {
      ...doc,
      jobs: [
        {
          key: 'j',
          tasks: ['1h30m', '2d', 'soon', '500ms', '1.5s'].map((timeout) => ({ key: timeout, handler: 's', timeout })),
        },
      ],
    };
    expect(rowsToShow(rowsOf(timeouts, []), undefined, orderOf('timeout')).map((row) => row.task.key)).toEqual([
      '500ms',
      '1.5s',
      '1h30m',
      '2d',
      'soon',
    ]);
  });
});
