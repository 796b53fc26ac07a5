import { describe, expect, it } from 'vitest';
import { formatOf } from './calls';
import { dateOf, dayOf } from './days';
import { checkCalendarSearch } from './search';
import { dayAfterKey } from './useSelection';

describe('the inputs of the calendar pages', () => {
  it('find the format of a file by its name, or by its text', () => {
    expect(formatOf({ name: 'China.ICS', text: '<html>' })).toBe('ics');
    expect(formatOf({ text: '\uFEFFBEGIN:VCALENDAR\r\n' })).toBe('ics');
    expect(formatOf({ text: 'apiVersion: hivego/v1\nkind: Calendar\n' })).toBe('yaml');
    expect(formatOf({ name: 'china.txt', text: 'date,kind\n' })).toBe('csv');
  });

  it('move by day, week and month', () => {
    const after = (key: string) => {
      const day = dayAfterKey(key, dayOf('2026-01-01')); // a Thursday
      return day === undefined ? undefined : dateOf(day);
    };
    expect(after('ArrowLeft')).toBe('2025-12-31');
    expect(after('ArrowRight')).toBe('2026-01-02');
    expect(after('ArrowUp')).toBe('2025-12-25');
    expect(after('ArrowDown')).toBe('2026-01-08');
    expect(after('PageUp')).toBe('2025-12-01');
    expect(after('PageDown')).toBe('2026-02-01');
    expect(after('Home')).toBe('2025-12-29');
    expect(after('End')).toBe('2026-01-04');
    expect(after('x')).toBeUndefined();
  });

  it('leave invalid values of an address out', () => {
    expect(checkCalendarSearch({ year: 2027, view: 'history' })).toEqual({ year: 2027, view: 'history' });
    expect(checkCalendarSearch({ year: 'next', view: 'x' })).toEqual({ year: undefined, view: undefined });
    expect(checkCalendarSearch({})).toEqual({});
  });
});
