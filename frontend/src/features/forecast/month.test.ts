import { describe, expect, it } from 'vitest';
import { changesOf, dateAfter, type Day, type DayItem, monthAfter, rangesOf, weekNumber, weeksOf } from './month';
import { checkForecastSearch } from './search';

const day = (date: string, items: DayItem[] = []): Day => ({
  date,
  ticks: 1,
  down: 0,
  hours: Array.from({ length: 24 }, () => 0),
  items,
  more: 0,
  entries: [],
});
const item = (kind: DayItem['kind'], schedule: string, from?: string): DayItem => ({
  kind,
  schedule,
  at: '2026-12-24T05:00:00Z',
  count: 2,
  from,
});

describe('dates', () => {
  it('go across months and years', () => {
    expect(monthAfter('2026-12', 1)).toBe('2027-01');
    expect(monthAfter('2026-01', -1)).toBe('2025-12');
    expect(dateAfter('2026-12-31', 1)).toBe('2027-01-01');
    expect(dateAfter('2028-03-01', -1)).toBe('2028-02-29');
  });
  it('lie in weeks by ISO 8601', () => {
    expect(weekNumber('2026-11-30')).toBe(49);
    expect(weekNumber('2026-12-28')).toBe(53);
    expect(weekNumber('2027-01-04')).toBe(1);
    expect(weeksOf(Array.from({ length: 35 }, () => day('2026-12-01'))).map((w) => w.length)).toEqual([7, 7, 7, 7, 7]);
  });
  it('are told as ranges', () => {
    expect(rangesOf(['2026-12-24', '2026-12-25', '2026-12-26', '2026-12-31'])).toEqual([
      { first: '2026-12-24', last: '2026-12-26' },
      { first: '2026-12-31', last: '2026-12-31' },
    ]);
  });
});

describe('the changes of a month', () => {
  it('join schedules that change on the same days, and leave out what is due', () => {
    const days = [
      day('2026-12-12', [item('added', 'pick-plan'), item('due', 'stocktake'), item('added', 'board-mail')]),
      day('2026-12-19', [item('added', 'pick-plan'), item('added', 'board-mail')]),
      day('2026-12-24', [item('left_out', 'pick-plan')]),
      day('2026-12-30', [item('moved', 'month-end', '2026-12-31')]),
    ];
    expect(changesOf(days)).toEqual([
      { kind: 'added', schedules: ['pick-plan', 'board-mail'], dates: ['2026-12-12', '2026-12-19'], count: 8 },
      { kind: 'left_out', schedules: ['pick-plan'], dates: ['2026-12-24'], count: 2 },
      { kind: 'moved', schedules: ['month-end'], dates: ['2026-12-30'], count: 2, from: '2026-12-31' },
    ]);
  });
});

describe('the address', () => {
  it('keeps what is valid', () => {
    const search = { month: '2026-12', schedule: 'a', view: 'list', day: '2026-12-24', idle: true, down: 'a..b' };
    expect(checkForecastSearch(search)).toEqual(search);
    expect(
      Object.values(
        checkForecastSearch({ month: '2026-13', schedule: '', view: 'x', day: 'Friday', idle: 1, down: 'a' }),
      ).filter((value) => value !== undefined),
    ).toEqual([]);
  });
});
