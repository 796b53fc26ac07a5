import { describe, expect, it } from 'vitest';
import type { Doc, Task } from '@/document';
import { cellFields, cellText, isWritable, needOffers } from './TaskRow';

const task: Task = {
  key: 'a',
  title: 'A',
  handler: 'shell',
  group: 'etl',
  timeout: '10m',
  priority: 3,
  needs: ['x', 'y'],
  retry: { max: 2, delay: '30s' },
  pool: { name: 'dw', slots: 2 },
};

describe('a cell', () => {
  it.each([
    ['task', 'A'],
    ['group', 'etl'],
    ['needs', 'x, y'],
    ['timeout', '10m'],
    ['retry', '2'],
    ['priority', '3'],
    ['pool', 'dw 2'],
  ] as const)('%s says %s', (column, text) => {
    expect(cellText(task, column)).toBe(text);
    expect(cellText({ key: 'b', handler: 'sql' }, column)).toBe('');
  });
  it.each([
    ['task', ' B ', { title: 'B' }],
    ['task', '', { title: undefined }],
    ['group', 'dw', { group: 'dw' }],
    ['needs', ' y，z x,,y ', { needs: ['y', 'z', 'x'] }],
    ['needs', ' , ', { needs: undefined }],
    ['timeout', 'soon', { timeout: 'soon' }],
    ['timeout', '', { timeout: undefined }],
    ['retry', '5', { retry: { max: 5, delay: '30s' } }],
    ['retry', '', { retry: { delay: '30s' } }],
    ['retry', '-1', undefined],
    ['retry', 'x', undefined],
    ['priority', '10', { priority: 10 }],
    ['priority', '1.5', undefined],
    ['priority', '', { priority: undefined }],
    ['pool', ' etl ', { pool: { name: 'etl' } }],
    ['pool', 'etl 1', { pool: { name: 'etl' } }],
    ['pool', 'etl  3', { pool: { name: 'etl', slots: 3 } }],
    ['pool', 'etl 0', undefined],
    ['pool', 'etl x', undefined],
    ['pool', '', { pool: undefined }],
  ] as const)('%s takes %j', (column, text, fields) => {
    expect(cellFields(task, column, text)).toEqual(fields);
  });
  it('leaves no empty retry behind', () => {
    expect(cellFields({ key: 'a', handler: 'x', retry: { max: 1 } }, 'retry', '')).toEqual({ retry: undefined });
  });
  it('knows where it can be written', () => {
    expect([isWritable('group'), isWritable('needs'), isWritable('handler')]).toEqual([true, true, false]);
  });
});

describe('the completions of needs', () => {
  const shell = (key: string) => ({ key, handler: 'shell' });
  const doc: Doc = {
    apiVersion: 'hivego/v1',
    kind: 'Schedule',
    name: 'x',
    jobs: [
      { key: 'one', tasks: [shell('load_a'), shell('load_b')] },
      { key: 'two', tasks: [shell('mart')] },
      { key: 'three', tasks: [shell('report'), shell('load_c')] },
    ],
  };
  it('are the tasks of earlier jobs that are not in the list', () => {
    expect(needOffers(doc, 'report', '')).toEqual(['load_a', 'load_b', 'mart']);
    expect(needOffers(doc, 'report', 'load_a, LO')).toEqual(['load_a, load_b']);
    expect(needOffers(doc, 'load_a', '')).toEqual([]);
  });
});
