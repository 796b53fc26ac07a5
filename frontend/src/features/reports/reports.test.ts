import { describe, expect, it } from 'vitest';
import { csvOf } from './csv';
import { percent } from './format';
import { groupRows, type ScheduleRow, sortedBy } from './groups';
import { listSearch } from './links';
import { checkReportsSearch, selectsBatches } from './search';
import { slotsInAll, stacked, worstDay } from './series';
import { queryOf } from './useReports';

const none = { count: 0 };
const row = (name: string, part: Partial<ScheduleRow> = {}): ScheduleRow => ({ name, took: none, wait: none, ...part });

describe('the address of reports', () => {
  it('leaves invalid values out', () => {
    expect(checkReportsSearch({ schedule: 7, tag: '', days: 30, rows: 'x', param: 'east' })).toEqual({
      schedule: '7',
      tag: undefined,
      days: undefined,
      rows: undefined,
      param: undefined,
    });
    const whole = { days: 90, rows: 'tag', owner: 'ada', executor: 'alpha', by: 'cron', param: 'region=east' } as const;
    expect(checkReportsSearch(whole)).toEqual(whole);
  });

  it('leads to the batches that are counted', () => {
    const search = { executor: 'alpha', param: 'region=east', days: 7 } as const;
    expect(listSearch(search, '2026-11-30', '2026-11-30', 'failed')).toEqual({
      executor: 'alpha',
      param: 'region=east',
      state: 'failed',
      since: '2026-11-30',
      until: '2026-12-01',
    });
    expect([{}, { tag: 'dwh' }, { by: 'cron' }].map((s) => selectsBatches(s))).toEqual([false, false, true]);
  });

  it('selects days of a zone', () => {
    const at = Date.parse('2026-11-26T17:00:00Z');
    expect(queryOf({ days: 7 }, at, 'Asia/Shanghai')).toMatchObject({ from: '2026-11-21', to: '2026-11-27' });
    expect(queryOf({ executor: 'alpha', rows: 'tag' }, at, 'UTC')).toMatchObject({ executor: 'alpha' });
    expect(queryOf({}, at, 'UTC')).toMatchObject({ from: '2026-10-28', to: '2026-11-26' });
  });
});

describe('the rows of reports', () => {
  const rows = [
    row('a', { succeeded: 9, failed: 1, tags: ['dwh', 'night'], before: 10, after: 12 }),
    row('b', { succeeded: 5, tags: ['dwh'] }),
    row('c', { running: 1 }),
  ];

  it('have shares and trends', () => {
    const [a, , c] = groupRows(rows, 'schedule');
    expect(a).toMatchObject({ name: 'a', batches: 10, share: 0.9 });
    expect(a?.trend).toBeCloseTo(0.2);
    expect(c).toMatchObject({ batches: 1, share: undefined, trend: undefined });
  });

  it('are added up by tag, those with most failures first', () => {
    expect(groupRows(rows, 'tag').map((r) => [r.name, r.batches, r.failed, r.schedules])).toEqual([
      ['dwh', 15, 1, 2],
      ['night', 10, 1, 1],
      ['', 1, 0, 1],
    ]);
  });

  it('are sorted with missing values last', () => {
    const values = [{ v: 2 }, { v: undefined }, { v: 3 }];
    expect(sortedBy(values, (x) => x.v).map((x) => x.v)).toEqual([2, 3, undefined]);
    expect(sortedBy(values, (x) => x.v, true).map((x) => x.v)).toEqual([3, 2, undefined]);
  });
});

describe('the numbers of charts', () => {
  it('lie upon each other in bars', () => {
    expect(
      stacked([
        { label: 'a', color: '', values: [1, null] },
        { label: 'b', color: '', values: [2, 3] },
      ]),
    ).toEqual([
      [1, 0],
      [3, 3],
    ]);
  });

  it('name the worst day', () => {
    const day = (name: string, succeeded: number, failed: number) => ({ ...row(''), day: name, succeeded, failed });
    expect(worstDay([day('1', 1, 1), day('2', 1, 3), day('3', 0, 0)])).toEqual({ day: '2', share: 0.25 });
    expect(worstDay([day('1', 1, 0)])).toBeUndefined();
  });

  it('add up slots', () => {
    const executor = (slots: number[]) => ({ busySeconds: 1, slots });
    expect(slotsInAll([executor([0.1, 1]), executor([0.2, 1])])).toEqual([0.3, 2]);
  });

  it('are 100 % only if nothing is missing', () => {
    expect(percent(0.9999, 'en')).toBe('99.9%');
    expect(percent(1, 'en')).toBe('100%');
  });
});

describe('CSV', () => {
  it('quotes what must be quoted, and writes no formulas', () => {
    expect(
      csvOf([
        ['a,b', 'say "x"', undefined],
        ['=1+1', -2, '测试'],
      ]),
    ).toBe('\uFEFF"a,b","say ""x""",\r\n\'=1+1,-2,测试\r\n');
  });
});
