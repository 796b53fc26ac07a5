import { describe, expect, it } from 'vitest';
import { batchNumber, type Group, type Item, sectionsOf } from './items';
import { searchTexts } from './match';

const item = (group: Group, label: string, over: Partial<Item> = {}): Item => ({
  id: `${group} ${label}`,
  group,
  label,
  texts: searchTexts(label),
  run: () => undefined,
  ...over,
});

/** The sections as text: `action: Pause, Resume…`. */
const shown = (query: string, items: Item[]) =>
  sectionsOf(query, items).map(({ group, items: list }) => `${group}: ${list.map((i) => i.label).join(', ')}`);

const ITEMS = [
  item('page', 'Batches'),
  item('setting', 'Theme: Dark'),
  item('action', 'Pause'),
  item('action', 'Resume…'),
  item('recent', 'orders'),
  item('schedule', 'orders'),
  item('task', 'load_pages'),
  item('task', '同步仓库'),
];

describe('sectionsOf', () => {
  it.each([
    ['', ['recent: orders', 'action: Pause, Resume…', 'page: Batches']],
    ['  ', ['recent: orders', 'action: Pause, Resume…', 'page: Batches']],
    ['pa', ['action: Pause', 'task: load_pages']],
    ['dark', ['setting: Theme: Dark']],
    ['orders', ['schedule: orders']],
    ['tbck', ['task: 同步仓库']],
    ['absent', []],
  ])('%s: %j', (query, want) => {
    expect(shown(query, ITEMS)).toEqual(want);
  });
  it('shows what the server has found last, even if its texts do not tell why', () => {
    const found = item('schedule', 'new-name', { found: true });
    expect(shown('old-name', [found, item('schedule', 'old-name-2')])).toEqual(['schedule: old-name-2, new-name']);
  });
  it('shows what is secondary after what is found as well', () => {
    const run = item('action', 'Run… orders', { texts: searchTexts('orders'), secondary: true });
    expect(shown('orders', [run, ...ITEMS])).toEqual(['schedule: orders', 'action: Run… orders']);
  });
  it('shows at most so many of a group', () => {
    const tasks = Array.from({ length: 5000 }, (_, i) => item('task', `task_${String(i)}`));
    expect(sectionsOf('task', tasks)[0]?.items).toHaveLength(8);
    expect(sectionsOf('task_4999', tasks)[0]?.items[0]?.label).toBe('task_4999');
  });
});

it.each([
  ['42', 42],
  ['#42', 42],
  [' #42 ', 42],
  ['0', undefined],
  ['#', undefined],
  ['42a', undefined],
  ['-1', undefined],
  ['1234567890123456', undefined],
])('batchNumber of %s is %s', (query, want) => {
  expect(batchNumber(query)).toBe(want);
});
