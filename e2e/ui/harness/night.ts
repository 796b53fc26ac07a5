import type { Page } from 'playwright-core';

/** Shows the chain of one night in place of the chain of a schedule: warehouse has failed, and four wait for it. */
export async function showNight(page: Page, schedule: string): Promise<void> {
  await page.route(`**/api/v1/schedules/${schedule}/chain*`, async (route) => {
    const resumed = new URL(route.request().url()).searchParams.has('resumeAt');
    await route.fulfill({ json: night(Date.now(), resumed) });
  });
}

/** The chain, as if it were 04:12 now. */
function night(now: number, resumed: boolean) {
  const at = (time: string) => {
    const [hours = 0, minutes = 0] = time.split(':').map(Number);
    return new Date(now + ((hours - 4) * 60 + minutes - 12) * 60_000).toISOString();
  };
  const times = (fields: Record<string, string | undefined>) =>
    Object.fromEntries(Object.entries(fields).map(([name, time]) => [name, time && at(time)]));
  const bar = (moment: string, outcome: string, fields: Record<string, string | undefined>, over: object = {}) => ({
    moment: at(moment),
    own: true,
    present: true,
    waiting: false,
    outcome,
    ...times(fields),
    ...over,
  });
  const link = (name: string, place: string, triggers: object[], bars: object[], over: object = {}) => ({
    name,
    place,
    missing: false,
    enabled: true,
    timezone: 'UTC',
    triggers,
    bars,
    more: 0,
    ...over,
  });
  const day = (cron: string, ...after: object[]) => ({ text: cron, cron, after });
  const same = (schedule: string, policy?: string) => ({ schedule, policy, window: 'same_day' });
  const edge = (from: string, fromMoment: string, to: string, toMoment: string, met: number, decides: boolean) => ({
    from,
    fromMoment: at(fromMoment),
    to,
    toMoment: at(toMoment),
    needed: from === 'supplier-edi' ? 2 : 1,
    met,
    decides,
  });
  const waits = (fields: Record<string, string>, held: Record<string, string> = {}) =>
    resumed ? { outcome: 'expected', ...times(fields) } : { outcome: 'held', ...times(held) };
  return {
    schedule: 'warehouse',
    now: at('04:12'),
    from: at('00:10'),
    until: at('09:50'),
    resumeAt: resumed ? at('04:12') : undefined,
    cut: false,
    schedules: [
      link(
        'erp-extract',
        'before',
        [day('40 0 * * *')],
        [
          bar(
            '00:40',
            'succeeded',
            { startedAt: '00:40', finishedAt: '01:55', usualStart: '00:40', usualEnd: '01:52' },
            {
              batch: 4711,
              state: 'succeeded',
            },
          ),
        ],
      ),
      link(
        'warehouse',
        'subject',
        [day('20 3 * * *', same('erp-extract'))],
        [
          bar(
            '03:20',
            resumed ? 'resumed' : 'failed',
            {
              startedAt: '03:20',
              finishedAt: '03:58',
              usualStart: '03:20',
              usualEnd: '04:12',
              ...(resumed && { startsAt: '04:12', endsAt: '04:24' }),
            },
            { batch: 4715, state: 'failed', counts: { succeeded: 20, failed: 1, skipped: 5 } },
          ),
        ],
      ),
      link(
        'mart-export',
        'after',
        [{ text: 'after warehouse', after: [same('warehouse')] }],
        [
          bar(
            '00:00',
            'held',
            { usualStart: '04:12', usualEnd: '04:33' },
            {
              own: false,
              waiting: true,
              repairable: true,
              ...waits({ startsAt: '04:24', endsAt: '04:45' }),
              delaySeconds: resumed ? 720 : 0,
            },
          ),
        ],
      ),
      link(
        'supplier-edi',
        'beside',
        [day('0 */2 * * *')],
        [
          bar('02:00', 'succeeded', { startedAt: '02:00', finishedAt: '02:16' }, { batch: 4713, state: 'succeeded' }),
          bar(
            '04:00',
            'running',
            { startedAt: '04:00', endsAt: '04:16' },
            {
              batch: 4716,
              state: 'running',
              counts: { succeeded: 11, running: 3 },
            },
          ),
          bar('06:00', 'expected', { startsAt: '06:00', endsAt: '06:16' }, { present: false }),
          bar('08:00', 'expected', { startsAt: '08:00', endsAt: '08:16' }, { present: false }),
        ],
      ),
      link(
        'demand-forecast',
        'after',
        [day('12 4 * * *', same('warehouse'), same('supplier-edi', 'last(2)'))],
        [
          bar(
            '04:12',
            'held',
            { usualStart: '04:16', usualEnd: '05:01' },
            {
              waiting: true,
              repairable: true,
              ...waits({ startsAt: '04:24', endsAt: '05:09', inTimeUntil: '04:00' }, { inTimeUntil: '04:00' }),
              lateSeconds: resumed ? 720 : 0,
            },
          ),
        ],
      ),
      link(
        'pick-plan',
        'after',
        [day('0 5 * * MON-FRI', same('demand-forecast'))],
        [
          bar(
            '05:00',
            resumed ? 'expected' : 'expired',
            {
              usualStart: '05:01',
              usualEnd: '05:26',
              mayBeginUntil: '09:00',
              inTimeUntil: '04:03',
              beginsUntil: '08:03',
            },
            {
              repairable: true,
              lateSeconds: resumed ? 540 : 0,
              ...times(resumed ? { startsAt: '05:09', endsAt: '05:34' } : { endsAt: '09:00' }),
            },
          ),
        ],
        { expireSeconds: 14_400 },
      ),
      link(
        'board-mail',
        'after',
        [day('0 7 * * MON-FRI', same('mart-export'), same('pick-plan'))],
        [
          bar(
            '07:00',
            'held',
            { usualStart: '07:00', usualEnd: '07:06' },
            {
              repairable: true,
              ...waits({ startsAt: '07:00', endsAt: '07:06' }),
              ...times({ inTimeUntil: '05:38' }),
            },
          ),
        ],
      ),
    ],
    edges: [
      edge('erp-extract', '00:40', 'warehouse', '03:20', 1, true),
      edge('warehouse', '03:20', 'mart-export', '00:00', 0, true),
      edge('warehouse', '03:20', 'demand-forecast', '04:12', 0, true),
      edge('supplier-edi', '04:00', 'demand-forecast', '04:12', 1, false),
      edge('demand-forecast', '04:12', 'pick-plan', '05:00', 0, true),
      edge('mart-export', '00:00', 'board-mail', '07:00', 0, !resumed),
      edge('pick-plan', '05:00', 'board-mail', '07:00', 0, resumed),
    ],
    failures: [
      {
        schedule: 'warehouse',
        moment: at('03:20'),
        batch: 4715,
        state: 'failed',
        tasks: 6,
        of: 26,
        takesSeconds: 720,
        holds: ['mart-export', 'demand-forecast', 'pick-plan', 'board-mail'],
      },
    ],
  };
}
