import { describe, expect, it } from 'vitest';
import { datesOf } from './dates';
import type { Batch, Grid, Line } from './grid';
import { moveOf } from './keys';
import { hit, layoutOf, scrollTo, sizeOf, visibleColumns, visibleLines } from './layout';
import { checkRunsSearch } from './search';

const moments = (...list: string[]) => list.map((moment, id) => ({ id, moment }) as unknown as Batch);
const grid: Grid = { batches: moments(...Array.from({ length: 365 }, () => '2026-05-01T00:00:00Z')), rows: [] };
const lines: Line[] = Array.from({ length: 1000 }, (_, y) => ({
  kind: 'task',
  row: { job: 'j', task: String(y), cells: '', took: [] },
}));

describe('the layout', () => {
  const layout = layoutOf(1280, 365, 0);
  const view = { width: 800, height: 600, left: 1000, top: 480 };
  it('shows only what is visible', () => {
    expect(visibleColumns(layout, grid, view)).toEqual({ from: 50, to: 70 });
    expect(visibleLines(layout, lines, view)).toEqual({ from: 20, to: 39 });
    expect(sizeOf(layout, grid, lines)).toEqual({ width: 214 + 365 * 20 + 186, height: 130 + 24_000 });
  });
  it('finds what is under a point', () => {
    expect(hit(layout, grid, lines, view, 215, 131)).toEqual({ x: 50, y: 20 });
    expect(hit(layout, grid, lines, view, 10, 131)).toEqual({ x: undefined, y: 20 });
    expect(hit(layout, grid, lines, view, 215, 20)).toEqual({ x: 50, y: undefined });
    expect(hit(layout, grid, lines, view, 790, 131)).toEqual({ x: undefined, y: 20 });
  });
  it('scrolls to a place that is not visible', () => {
    expect(scrollTo(layout, grid, view, { x: 55, y: 25 })).toEqual({ left: 1000, top: 480 });
    expect(scrollTo(layout, grid, view, { x: 0, y: 999 })).toEqual({ left: 0, top: 24_000 - 470 });
  });
  it('has no statistics on a phone', () => {
    expect(layoutOf(390, 30, 0).stats).toBe(0);
  });
  it.each([
    { what: 'keep their width if they fit', width: 1280, columns: 30, longest: 200, names: 214 },
    { what: 'take what they need of the free space', width: 1280, columns: 30, longest: 300, names: 300 },
    { what: 'take at most the free space', width: 1100, columns: 30, longest: 400, names: 314 },
    { what: 'leave their width to many columns', width: 1280, columns: 365, longest: 400, names: 214 },
  ])('lets names $what', ({ width, columns, longest, names }) => {
    expect(layoutOf(width, columns, longest).names).toBe(names);
  });
});

describe('the keys', () => {
  const key = (name: string, ctrlKey = false) =>
    moveOf({ key: name, ctrlKey, metaKey: false }, { x: 1, y: 5 }, { x: 9, y: 99 }, 10);
  it.each([
    ['ArrowLeft', false, { x: 0, y: 5 }],
    ['ArrowUp', false, { x: 1, y: 4 }],
    ['PageUp', false, { x: 1, y: 0 }],
    ['PageDown', false, { x: 1, y: 15 }],
    ['End', false, { x: 9, y: 5 }],
    ['End', true, { x: 9, y: 99 }],
    ['Home', true, { x: 0, y: 0 }],
    ['a', false, undefined],
  ] as const)('%s, with Ctrl %s', (name, ctrl, want) => {
    expect(key(name, ctrl)).toEqual(want);
  });
});

describe('the dates', () => {
  it('of a daily schedule are days, and name each week', () => {
    const dates = datesOf(
      moments('2026-05-01T22:30:00Z', '2026-05-02T22:30:00Z', '2026-05-03T22:30:00Z'),
      'Europe/Berlin',
      'en',
    );
    expect(dates.map((date) => [date.short, date.long, date.weekend])).toEqual([
      ['2', 'Sat 2 May', true],
      ['3', undefined, true],
      ['4', 'Mon 4 May', false],
    ]);
  });
  it('of several batches a day are hours, and name each day', () => {
    const dates = datesOf(moments('2026-05-01T10:00:00Z', '2026-05-01T11:00:00Z', '2026-05-02T10:00:00Z'), 'UTC', 'en');
    expect(dates.map((date) => [date.short, date.long])).toEqual([
      ['10', 'Fri 1 May'],
      ['11', undefined],
      ['10', 'Sat 2 May'],
    ]);
  });
});

describe('the address', () => {
  it('leaves out what is not valid', () => {
    const search = {
      n: 90,
      kind: 'manual',
      failed: true,
      before: 7,
      from: '2026-05-01',
      jobs: 'a,b',
      batch: 3,
      task: 'x',
    };
    expect(checkRunsSearch(search)).toMatchObject(search);
    const bad = { n: 31, kind: 'adhoc', failed: 'yes', before: -1, from: '2026-13-01', to: 'x', batch: 1.5 };
    expect(Object.values(checkRunsSearch(bad)).every((value) => value === undefined)).toBe(true);
  });
});
