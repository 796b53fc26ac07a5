import { describe, expect, it } from 'vitest';
import { choiceOf, markAt, marksOf, moveCursor, placeOfChoice } from './marks';
import { checkAxisSearch, frameOf, searchOf } from './search';
import {
  axisOf,
  collisionsOf,
  keepOrder,
  momentAt,
  type Night,
  type NightRow,
  placeOf,
  stepsOf,
  windowOf,
} from './scale';

const HOUR = 3_600_000;
const T0 = Date.parse('2026-11-24T04:00:00.000Z');
const iso = (hours: number) => new Date(T0 + hours * HOUR).toISOString();
const scale = { from: T0 - 12 * HOUR, to: T0 + 12 * HOUR, width: 240 };
const row = (over: Partial<NightRow> = {}): NightRow => ({
  schedule: 'orders',
  state: 'quiet',
  bars: [],
  ticks: [],
  ...over,
});

describe('the scale of the band', () => {
  it('places moments and finds them again', () => {
    expect(placeOf(T0, scale)).toBe(120);
    expect(momentAt(120, scale)).toBe(T0);
  });
  it('has labels with enough room, and marks the days', () => {
    const marks = axisOf({ ...scale, width: 900 });
    expect(marks.length).toBeGreaterThan(8);
    expect(marks.length).toBeLessThanOrEqual(13);
    expect(marks.filter((mark) => mark.day)).toHaveLength(1);
    expect(axisOf({ ...scale, width: 200 }, 'UTC').length).toBeLessThanOrEqual(3);
    expect(axisOf({ from: T0, to: T0 + 14 * 24 * HOUR, width: 300 }).every((mark) => mark.day)).toBe(true);
  });
  it('has labels at whole hours of a zone, also after its clocks change', () => {
    const of = (from: string, zone: string) => {
      const begin = Date.parse(from);
      return axisOf({ from: begin, to: begin + 24 * HOUR, width: 900 }, zone).map(({ at, day }) => [
        new Date(at).toISOString().slice(11, 16),
        day,
      ]);
    };
    expect(of('2026-11-24T00:00:00Z', 'Asia/Kolkata').filter(([, day]) => day)).toEqual([['18:30', true]]);
    const berlin = of('2026-10-24T12:00:00Z', 'Europe/Berlin'); // the clocks go back at 01:00 UTC
    expect(berlin.find(([, day]) => day)).toEqual(['22:00', true]);
    expect(berlin.slice(-2).map(([time]) => time)).toEqual(['09:00', '11:00']);
  });
  it('selects windows in whole minutes, neither too short nor too long', () => {
    expect(windowOf(T0 + 2 * HOUR, T0)).toEqual({ from: T0, to: T0 + 2 * HOUR });
    expect(windowOf(T0, T0 + 1000).to - windowOf(T0, T0 + 1000).from).toBe(600_000);
    const long = windowOf(T0, T0 + 1000 * HOUR);
    expect(long.to - long.from).toBe(14 * 24 * HOUR);
  });
  it('keeps the order of rows', () => {
    const rows = ['a', 'b', 'c'].map((schedule) => row({ schedule }));
    expect(keepOrder(['c', 'gone', 'a'], rows).map((r) => r.schedule)).toEqual(['c', 'a', 'b']);
  });
  it('joins the parts in which too many slots are wanted', () => {
    const night: Night = {
      now: iso(0),
      from: iso(-1),
      to: iso(6),
      rows: [],
      schedules: 0,
      slots: { usedFrom: iso(-1), used: [1], wantedUntil: iso(6), wanted: [1, 5, 7, 2, 4, 5], there: 4, unknown: 0 },
    };
    expect(collisionsOf(night)).toEqual([
      { from: T0 + HOUR, to: T0 + 3 * HOUR, wanted: 7 },
      { from: T0 + 5 * HOUR, to: T0 + 6 * HOUR, wanted: 5 },
    ]);
  });
  it('draws counts as steps', () => {
    expect(stepsOf([1, 2], { from: T0, to: T0 + 12 * HOUR }, scale, (n) => 10 - n)).toBe('M120 9H180L180 8H240');
    expect(stepsOf([], { from: T0, to: T0 }, scale, (n) => n)).toBe('');
  });
});

describe('the marks of a row', () => {
  const marks = marksOf(
    row({
      usualSeconds: 1800,
      bars: [
        { id: 1, state: 'succeeded', moment: iso(-3), begin: iso(-3), end: iso(-2) },
        { id: 2, state: 'failed', moment: iso(-2), begin: iso(-2), end: iso(-1.5), open: true },
        { id: 3, state: 'failed', moment: iso(-5), begin: iso(-5), end: iso(-4) },
        { id: 4, state: 'running', moment: iso(-1), begin: iso(-1), late: true },
        { id: 5, state: 'running', moment: iso(-0.5), begin: iso(-0.5) },
      ],
      ticks: [
        { moment: iso(1), begin: iso(1), end: iso(2) },
        { moment: iso(-0.2), waits: true, waitsFor: ['warehouse'] },
        { moment: iso(4), waits: true, late: true },
      ],
    }),
    T0,
  );
  it('have a look each, by their begin', () => {
    expect(marks.map((mark) => [mark.look, (mark.from - T0) / HOUR, (mark.to - T0) / HOUR])).toEqual([
      ['settled', -5, -4],
      ['succeeded', -3, -2],
      ['failed', -2, -1.5],
      ['late', -1, 0],
      ['running', -0.5, 0],
      ['waits', 0, 0.5],
      ['due', 1, 2],
      ['late', 4, 4.5],
    ]);
  });
  it('are found near the pointer, the shorter of two', () => {
    expect(markAt(marks, placeOf(T0 - 2.5 * HOUR, scale), scale)).toBe(1);
    expect(markAt(marks, placeOf(T0 - 0.3 * HOUR, scale), scale)).toBe(4);
    expect(markAt(marks, placeOf(T0 + 8 * HOUR, scale), scale)).toBeUndefined();
  });
  it('are reached by keys', () => {
    const rows = [marks, marks.slice(0, 2), []];
    expect(moveCursor('ArrowRight', { row: 0, mark: 0 }, rows)).toEqual({ row: 0, mark: 1 });
    expect(moveCursor('ArrowLeft', { row: 0, mark: 0 }, rows)).toEqual({ row: 0, mark: 0 });
    expect(moveCursor('End', { row: 0, mark: 0 }, rows)).toEqual({ row: 0, mark: 7 });
    expect(moveCursor('Home', { row: 0, mark: 4 }, rows)).toEqual({ row: 0, mark: 0 });
    expect(moveCursor('ArrowDown', { row: 0, mark: 7 }, rows)).toEqual({ row: 1, mark: 1 });
    expect(moveCursor('ArrowDown', { row: 1, mark: 1 }, rows)).toEqual({ row: 2, mark: 0 });
    expect(moveCursor('ArrowUp', { row: 0, mark: 3 }, rows)).toEqual({ row: 0, mark: 3 });
    expect(moveCursor('x', { row: 0, mark: 3 }, rows)).toBeUndefined();
  });
  it('stay chosen while rows and marks change around them', () => {
    const rows = [{ schedule: 'orders' }, { schedule: 'quiet' }];
    const failed = choiceOf({ row: 0, mark: 2 }, rows, [marks, []]);
    expect(placeOfChoice(failed, rows, [marks, []])).toEqual({ row: 0, mark: 2 });
    const later = [{ schedule: 'new' }, { schedule: 'quiet' }, { schedule: 'orders' }];
    expect(placeOfChoice(failed, later, [[], [], marks.slice(1)])).toEqual({ row: 2, mark: 1 });
    expect(placeOfChoice(failed, later, [[], [], marks.slice(3)])).toEqual({ row: 2, mark: 0 }); // the nearest one
    expect(placeOfChoice(failed, rows.slice(1), [[]])).toBeUndefined();
    expect(placeOfChoice(choiceOf({ row: 1, mark: 0 }, rows, [marks, []]), rows, [marks, []])).toEqual({
      row: 1,
      mark: 0,
    });
    expect(choiceOf(undefined, rows, [marks, []])).toBeUndefined();
  });
});

describe('the address of the axis', () => {
  const clean = (search: object) => JSON.parse(JSON.stringify(search)) as object;
  it('keeps a window, a filter and an open batch, and nothing that is no such', () => {
    const window = { from: iso(-2), to: iso(3) };
    expect(clean(checkAxisSearch({ ...window, hours: 3, q: 7, batch: 4, of: 'orders' }))).toEqual({
      ...window,
      q: '7',
      batch: 4,
      of: 'orders',
    });
    expect(clean(checkAxisSearch({ from: iso(3), to: iso(-2), hours: 24, batch: 4, q: '' }))).toEqual({ hours: 24 });
    expect(clean(checkAxisSearch({ hours: 5, from: 'x', to: iso(1), batch: -1, of: 'a' }))).toEqual({});
  });
  it('names the same window again', () => {
    const window = { from: T0 - 2 * HOUR, to: T0 + 3 * HOUR };
    expect(frameOf(searchOf(window))).toEqual(window);
    expect(frameOf(searchOf({ hours: 3 }))).toEqual({ hours: 3 });
    expect(frameOf(searchOf({ hours: 12 }))).toEqual({ hours: 12 });
    expect(searchOf({ hours: 12 }).hours).toBeUndefined();
  });
});
