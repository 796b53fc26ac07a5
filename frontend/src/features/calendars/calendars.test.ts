import { describe, expect, it } from 'vitest';
import { changesOf, countChanges, isSame, overlap, rebase } from './changes';
import {
  addMonths,
  type CalendarDoc,
  countDays,
  dateOf,
  dayOf,
  firstOf,
  importDays,
  kindByRule,
  markDays,
  weekdayOf,
  weeksOf,
  yearsOf,
} from './days';
import { edited, isDirty, rebased, redone, undone } from './draft';

const doc = (over: Partial<CalendarDoc> = {}): CalendarDoc => ({
  apiVersion: 'hivego/v1',
  kind: 'Calendar',
  name: 'china',
  ...over,
});
const range = (from: string, to = from) => ({ from: dayOf(from), to: dayOf(to) });
const week = doc({ holidays: [{ from: '2026-10-01', to: '2026-10-07', name: 'National Day' }] });

describe('the grid of a year', () => {
  it('has the weeks of a month from Monday to Sunday', () => {
    const weeks = weeksOf(2026, 1); // 1 February 2026 is a Sunday
    expect(weeks).toHaveLength(5);
    expect(weeks[0]?.slice(0, 6)).toEqual(Array(6).fill(undefined));
    expect(dateOf(weeks[0]?.[6] ?? 0)).toBe('2026-02-01');
    expect(dateOf(weeks[4]?.[5] ?? 0)).toBe('2026-02-28');
    expect(weeks[4]?.[6]).toBeUndefined();
  });

  it('knows dates before 1970, and leap years', () => {
    expect(weekdayOf(dayOf('1969-12-29'))).toBe(0);
    expect(dateOf(firstOf(2028, 2) - 1)).toBe('2028-02-29');
    expect(dateOf(addMonths(dayOf('2026-03-31'), -1))).toBe('2026-02-28');
    expect(dateOf(addMonths(dayOf('2026-12-15'), 1))).toBe('2027-01-15');
    expect(dayOf('1.1.2026')).toBeNaN();
  });

  it('counts the days of each kind', () => {
    const china = doc({ holidays: week.holidays, workdays: [{ date: '2026-10-10' }] });
    expect(countDays(china, 2026)).toEqual({ workday: 256, weekend: 101, holiday: 7, makeUp: 1 });
    expect(kindByRule(doc({ weekend: ['fri'] }), dayOf('2026-10-02'))).toBe('weekend');
    expect(kindByRule(doc({ weekend: [] }), dayOf('2026-10-03'))).toBe('workday');
    expect(yearsOf(china)).toEqual([2026, 2026]);
    expect(yearsOf(doc())).toBeUndefined();
  });
});

describe('an edit of a range', () => {
  it('splits an entry, and leaves the others as they are', () => {
    const before = doc({ holidays: [{ date: '2026-01-01', name: 'x' }, ...(week.holidays ?? [])] });
    const after = markDays(before, range('2026-10-03', '2026-10-04'));
    expect(after.holidays).toEqual([
      { date: '2026-01-01', name: 'x' },
      { from: '2026-10-01', to: '2026-10-02', name: 'National Day' },
      { from: '2026-10-05', to: '2026-10-07', name: 'National Day' },
    ]);
    expect(after.holidays?.[0]).toBe(before.holidays?.[0]);
  });

  it('joins neighbours of the same name, and moves days between the lists', () => {
    const longer = markDays(week, range('2026-10-08'), { kind: 'holiday', name: 'National Day' });
    expect(longer.holidays).toEqual([{ from: '2026-10-01', to: '2026-10-08', name: 'National Day' }]);
    const split = markDays(longer, range('2026-10-07', '2026-10-08'), { kind: 'makeUp', name: '' });
    expect(split.holidays).toEqual([{ from: '2026-10-01', to: '2026-10-06', name: 'National Day' }]);
    expect(split.workdays).toEqual([{ from: '2026-10-07', to: '2026-10-08' }]);
    expect(markDays(split, range('2026-10-01', '2026-10-31'))).toEqual(doc());
  });

  it('writes no entry that is longer than the server takes', () => {
    const long = markDays(doc(), range('2026-01-01', '2027-06-30'), { kind: 'holiday', name: 'closed' });
    expect(long.holidays).toEqual([
      { from: '2026-01-01', to: '2027-01-01', name: 'closed' },
      { from: '2027-01-02', to: '2027-06-30', name: 'closed' },
    ]);
  });

  it('keeps comments with their entries', () => {
    const before = doc({
      holidays: [{ date: '2026-05-01' }, { date: '2026-06-01' }],
      '#': { name: { above: ['# top'] }, 'holidays[1]': { behind: '# June' } },
    });
    expect(markDays(before, range('2026-01-01'), { kind: 'holiday', name: '' })['#']).toEqual({
      name: { above: ['# top'] },
      'holidays[2]': { behind: '# June' },
    });
    expect(markDays(before, range('2026-06-01'))['#']).toEqual({
      name: { above: ['# top'] },
      'holidays[0]': { behind: '# June' },
    });
  });

  it('replaces the years of an imported file', () => {
    const before = doc({ holidays: [{ date: '2025-10-01' }, { date: '2026-10-01', name: 'old' }] });
    const file = { holidays: [{ date: '2026-01-01', name: 'new' }], workdays: [{ date: '2026-01-04' }] };
    expect(importDays(before, file)).toEqual(
      doc({ holidays: [{ date: '2025-10-01' }, { date: '2026-01-01', name: 'new' }], workdays: file.workdays }),
    );
  });
});

describe('the difference of revisions', () => {
  it('groups days with the same change', () => {
    const after = markDays(markDays(week, range('2026-10-06', '2026-10-07')), range('2026-10-10'), {
      kind: 'makeUp',
      name: 'x',
    });
    expect(changesOf(week, after)).toEqual({
      days: [
        { ...range('2026-10-06', '2026-10-07'), before: { kind: 'holiday', name: 'National Day' }, after: undefined },
        { ...range('2026-10-10'), before: undefined, after: { kind: 'makeUp', name: 'x' } },
      ],
      fields: [],
    });
    expect(countChanges(changesOf(undefined, week))).toBe(7);
  });

  it('names changed fields', () => {
    expect(changesOf(week, { ...week, title: 'China', weekend: ['sun'] }).fields).toEqual(['title', 'weekend']);
    expect(isSame(week, { ...week, weekend: ['sat', 'sun'] })).toBe(true);
  });

  it('puts own changes on those of somebody else', () => {
    const mine = markDays({ ...week, title: 'mine' }, range('2026-10-01'), { kind: 'makeUp', name: 'mine' });
    const theirs = markDays(
      markDays(week, range('2026-10-01')), // both changed this day
      range('2026-12-25'),
      { kind: 'holiday', name: 'theirs' },
    );
    const both = rebase(week, mine, theirs);
    expect(both).toEqual(
      doc({
        title: 'mine',
        holidays: [
          { from: '2026-10-02', to: '2026-10-07', name: 'National Day' },
          { date: '2026-12-25', name: 'theirs' },
        ],
        workdays: [{ date: '2026-10-01', name: 'mine' }],
      }),
    );
    expect(overlap(week, mine, theirs)).toEqual({
      days: [{ ...range('2026-10-01'), before: undefined, after: { kind: 'makeUp', name: 'mine' } }],
      fields: [],
    });
  });
});

describe('a draft', () => {
  const base = { number: 1, doc: week };
  const mark = (date: string) => (before: CalendarDoc) =>
    markDays(before, range(date), { kind: 'holiday', name: date });

  it('undoes and redoes its edits', () => {
    const one = edited(undefined, base, mark('2026-12-25'));
    const two = edited(one, base, mark('2026-12-26'));
    expect(isDirty(two)).toBe(true);
    expect(undone(two).doc).toBe(one.doc);
    expect(isDirty(undone(undone(two)))).toBe(false);
    expect(redone(undone(two)).doc).toBe(two.doc);
    expect(edited(two, base, (same) => same)).toBe(two);
  });

  it('moves to a newer revision with its undo history', () => {
    const draft = edited(edited(undefined, base, mark('2026-12-25')), base, mark('2026-12-26'));
    const newest = { number: 2, doc: markDays(week, range('2026-10-07')) };
    const moved = rebased(draft, newest);
    expect(changesOf(newest.doc, moved.doc).days).toHaveLength(2);
    expect(isDirty(undone(undone(moved)))).toBe(false);
    expect(edited(undone(undone(draft)), newest, mark('2027-01-01')).base).toBe(newest);
  });
});
