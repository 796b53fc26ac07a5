import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CronForm, CYCLES, defaultForm, formOf, groupTriggers, LAST_DAY, readCron, steps, writeCrons } from '.';

const time = (hour: number, minute: number, second = 0) => ({ hour, minute, second });
const form = (over: Partial<CronForm>): CronForm => ({ ...defaultForm(), ...over });

describe('a form writes crons', () => {
  it.each<[string, Partial<CronForm>, string[]]>([
    ['every 10 minutes', { cycle: 'minute', every: 10 }, ['*/10 * * * *']],
    ['every minute', { cycle: 'minute' }, ['* * * * *']],
    ['every 10 minutes, twice', { cycle: 'minute', every: 10, starts: [7, 5] }, ['5/10,7/10 * * * *']],
    ['every 30 seconds', { cycle: 'second', every: 30 }, ['*/30 * * * * *']],
    ['every hour at :05 and :35', { cycle: 'hour', times: [time(0, 5), time(0, 35)] }, ['5,35 * * * *']],
    ['every 6 hours from 01:30', { cycle: 'hour', every: 6, times: [time(1, 30)] }, ['30 1/6 * * *']],
    ['every day at 03:20 and 15:20', { times: [time(15, 20), time(3, 20)] }, ['20 3,15 * * *']],
    [
      'every day at times that no cron has together',
      { times: [time(3, 20), time(15, 40)] },
      ['20 3 * * *', '40 15 * * *'],
    ],
    [
      'every day at all of these',
      { times: [time(3, 20), time(3, 40), time(15, 20), time(15, 40)] },
      ['20,40 3,15 * * *'],
    ],
    ['to the second', { times: [time(3, 20, 15)] }, ['15 20 3 * * *']],
    ['every Monday', { cycle: 'week', weekdays: [1] }, ['0 3 * * 1']],
    ['every month on the 1st and the 15th', { cycle: 'month', days: [15, 1] }, ['0 3 1,15 * *']],
    ['every month on the 15th and the last day', { cycle: 'month', days: [LAST_DAY, 15] }, ['0 3 15,L * *']],
    ['every quarter on its last day', { cycle: 'quarter', days: [LAST_DAY], months: [3] }, ['0 3 L 3/3 *']],
    ['every 2 months from February', { cycle: 'month', every: 2, months: [2] }, ['0 3 1 2/2 *']],
    ['every quarter', { cycle: 'quarter' }, ['0 3 1 */3 *']],
    ['every year', { cycle: 'year', days: [1], months: [4, 9] }, ['0 3 1 4,9 *']],
    ['every 7 minutes, whatever the clock says', { cycle: 'period', period: 420 }, ['@every 7m']],
  ])('%s', (_, over, crons) => {
    expect(writeCrons(form(over))).toEqual(crons);
    for (const cron of crons) {
      const again = formOf(cron);
      expect(again?.cycle).toBe(over.cycle ?? 'day');
      expect(again && writeCrons(again)).toEqual([cron]);
    }
  });
});

describe('a cron that no form writes', () => {
  it.each([
    '',
    'nonsense',
    '*/7 * * * *',
    '0 3 1 * mon',
    '*/15 9-17 * * 1-5',
    '0 3 * jan *',
    '5 */5 * * *',
    '0 0 L-1 * *',
    '0 0 LW * *',
    '0 0 * * 5L',
    '@reboot',
    '@every 1.5h',
    '5 * * 1 *',
    '15 */10 * * * *',
    '0 3 * 1 1',
  ])('%s', (cron) => {
    expect(formOf(cron)).toBeUndefined();
  });
});

describe('a cron by its name', () => {
  it.each<[string, CronForm['cycle']]>([
    ['@daily', 'day'],
    ['@hourly', 'hour'],
    ['@weekly', 'week'],
    ['@monthly', 'month'],
    ['@yearly', 'year'],
    ['@every 90m', 'period'],
    ['0 9 ? * MON-FRI', 'week'],
    ['0 6 1 1,4,7,10 *', 'quarter'],
  ])('%s', (cron, cycle) => {
    expect(formOf(cron)?.cycle).toBe(cycle);
  });
});

const some = (max: number, min = 0, most = 4) =>
  fc.uniqueArray(fc.integer({ min, max }), { minLength: 1, maxLength: most });
const anyForm: fc.Arbitrary<CronForm> = fc.constantFrom(...CYCLES).chain((cycle) =>
  fc.constantFrom(...steps(cycle)).chain((every) =>
    fc.record({
      cycle: fc.constant(cycle),
      every: fc.constant(every),
      starts: some(every - 1),
      times: fc.uniqueArray(
        fc.record({
          hour: fc.integer({ min: 0, max: cycle === 'hour' ? every - 1 : 23 }),
          minute: fc.integer({ min: 0, max: 59 }),
          second: cycle === 'hour' ? fc.constant(0) : fc.constantFrom(0, 0, 30),
        }),
        { minLength: 1, maxLength: 4, selector: (t) => JSON.stringify(t) },
      ),
      weekdays: some(6),
      days: some(LAST_DAY, 1),
      months: some(cycle === 'quarter' ? 3 : cycle === 'month' ? every : 12, 1),
      period: fc.integer({ min: 1, max: 1_000_000 }),
    }),
  ),
);

/** All times of day at which crons are due with their days, or the period. */
function meaning(crons: readonly string[]): string[] {
  return [
    ...new Set(
      crons.flatMap((text) => {
        const cron = readCron(text);
        if (!cron) throw new Error(`${text} cannot be read`);
        if ('every' in cron) return [String(cron.every)];
        const days = [cron.day.values, cron.day.rules.map((rule) => rule.kind), cron.month.values, cron.weekday.values]
          .map((values) => values.join())
          .join(' ');
        return cron.hour.values.flatMap((h) =>
          cron.minute.values.flatMap((m) =>
            cron.second.values.map((s) => `${String(h)}:${String(m)}:${String(s)} ${days}`),
          ),
        );
      }),
    ),
  ].sort();
}

it('reads its own crons, with the same meaning', () => {
  fc.assert(
    fc.property(anyForm, (one) => {
      const crons = writeCrons(one);
      const again = crons.map((cron) => {
        const form = formOf(cron);
        if (!form) throw new Error(`${cron} does not reopen`);
        return writeCrons(form);
      });
      expect(again.every((list) => list.length === 1)).toBe(true);
      expect(meaning(again.flat())).toEqual(meaning(crons));
    }),
  );
});

const groups = (...crons: string[]) => groupTriggers(crons.map((cron) => ({ cron })));

describe('groups of triggers', () => {
  it.each<[string, string[], [number, number][]]>([
    ['times that no cron has together', ['20 3 * * *', '40 15 * * *'], [[0, 2]]],
    ['three of them', ['20 3 * * *', '40 15 * * *', '0 20 * * *'], [[0, 3]]],
    [
      'other days',
      ['20 3 * * *', '40 15 * * 1'],
      [
        [0, 1],
        [1, 1],
      ],
    ],
    ['the same days', ['20 3 * * 1', '40 15 * * 1'], [[0, 2]]],
    [
      'the same twice',
      ['20 3 * * *', '20 3 * * *'],
      [
        [0, 1],
        [1, 1],
      ],
    ],
    [
      'what would be one cron',
      ['20 3 * * *', '20 15 * * *'],
      [
        [0, 1],
        [1, 1],
      ],
    ],
    [
      'cycles of minutes',
      ['*/10 * * * *', '5/20 * * * *'],
      [
        [0, 1],
        [1, 1],
      ],
    ],
    [
      'what no form writes',
      ['0 3 1 * 1', '20 3 * * *'],
      [
        [0, 1],
        [1, 1],
      ],
    ],
    ['none', [], []],
  ])('%s', (_, crons, want) => {
    expect(groups(...crons).map(({ first, count }) => [first, count])).toEqual(want);
  });

  it('write the crons that they were read from', () => {
    const [group] = groups('20 3 * * *', '40 15 * * *');
    expect(group?.form && writeCrons(group.form)).toEqual(['20 3 * * *', '40 15 * * *']);
  });
  it('separate triggers with different daylight-saving settings', () => {
    expect(groupTriggers([{ cron: '20 3 * * *' }, { cron: '40 15 * * *', dst: { gap: 'skip' } }])).toHaveLength(2);
  });
  it('separate triggers with different jitter', () => {
    expect(groupTriggers([{ cron: '20 3 * * *' }, { cron: '40 15 * * *', jitter: '10m' }])).toHaveLength(2);
  });
});
