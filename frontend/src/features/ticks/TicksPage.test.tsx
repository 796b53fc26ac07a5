import { fireEvent, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';
import { setLanguage } from '@/i18n';
import { type Answers, renderPage } from '@/test/page';
import { TicksPage } from './TicksPage';
import type { Tick } from './ticks';

const tick = (moment: string, over: Partial<Tick> = {}): Tick => ({
  moment,
  trigger: '0 * * * *',
  decision: 'fired',
  rule: 'on_time',
  count: 1,
  decidedAt: moment,
  ...over,
});
const SCHEDULE = {
  name: 'orders',
  enabled: true,
  revision: 1,
  timezone: 'Asia/Shanghai',
  triggers: ['0 * * * *'],
  nextAt: ['2099-01-01T00:00:00.000Z', '2099-01-01T01:00:00.000Z'],
};

function show(over: Answers = {}) {
  return renderPage(TicksPage, {
    at: '/schedules/orders/ticks',
    path: '/schedules/$name/ticks',
    answers: {
      'GET /api/v1/schedules/orders': () => SCHEDULE,
      'GET /api/v1/schedules/orders/ticks': () => ({
        items: [
          tick('2026-11-21T11:00:00.000Z', { batch: 7, decidedAt: '2026-11-21T11:00:09.000Z' }),
          tick('2026-11-21T10:00:00.000Z', { decision: 'skipped', rule: 'overlap', detail: 'batch 6 is live' }),
          tick('2026-11-20T10:00:00.000Z', {
            decision: 'missed',
            rule: 'backlog',
            until: '2026-11-21T09:00:00.000Z',
            count: 24,
          }),
          tick('2026-11-19T10:00:00.000Z', { decision: 'missed', rule: 'of_a_later_server', detail: 'because' }),
        ],
      }),
      ...over,
    },
  });
}

describe('the page of ticks', () => {
  beforeEach(() => setLanguage('en'));

  it('shows next moments above now and past ones below, in the zone of the schedule', async () => {
    show();
    await screen.findByText('2099-01-01 09:00:00');
    const rows = screen
      .getAllByRole('row')
      .slice(1)
      .map((row) => row.textContent);
    expect(rows.map((text) => text.slice(0, 16))).toEqual([
      '2099-01-01 09:00',
      '2099-01-01 08:00',
      expect.stringMatching(/^now /),
      '2026-11-21 19:00',
      '2026-11-21 18:00',
      '2026-11-20 18:00',
      '2026-11-19 18:00',
    ]);
    for (const text of ['fired', 'on time', '#7', '9 s late']) expect(rows[3]).toContain(text);
    for (const text of ['skipped', 'another batch was live']) expect(rows[4]).toContain(text);
    for (const text of ['missed', 'until 2026-11-21 17:00:00', '24 ticks', 'too many at once'])
      expect(rows[5]).toContain(text);
    expect(rows[6]).toContain('because');
    expect(screen.getByRole('link', { name: '#7' })).toHaveAttribute('href', '/batches/7');
    expect(document.title).toBe('Ticks of orders · HiveGo');
  });

  it('shows the ticks of chosen days in the zone of the schedule, without the current time', async () => {
    const asked: string[] = [];
    show({
      'GET /api/v1/schedules/orders/ticks': ({ url }) => {
        asked.push(url.search);
        return { items: url.searchParams.has('since') ? [] : [tick('2026-11-21T11:00:00.000Z')] };
      },
    });
    await userEvent.click(await screen.findByRole('button', { name: 'Days' }));
    fireEvent.change(await screen.findByLabelText('First day'), { target: { value: '2026-11-20' } });
    fireEvent.change(screen.getByLabelText('Last day'), { target: { value: '2026-11-21' } });
    expect(await screen.findByText('No ticks on these days')).toBeVisible();
    expect(screen.getByRole('button', { name: 'Days: 2026-11-20 – 2026-11-21' })).toBeInTheDocument();
    expect(asked.at(-1)).toBe('?limit=50&since=2026-11-19T16%3A00%3A00.000Z&until=2026-11-21T16%3A00%3A00.000Z');
  });

  it('says what a waiting tick waits for, and lets it go with a reason', async () => {
    const sent: unknown[] = [];
    let released = false;
    const moment = '2026-11-21T12:00:00.000Z';
    show({
      'GET /api/v1/schedules/orders/ticks': () => ({
        items: [
          tick(moment, {
            decision: released ? 'fired' : 'waiting',
            rule: released ? 'released' : 'after',
            ...(released
              ? { released: { by: 'ada', reason: 'the file is there', at: moment } }
              : {
                  missing: [
                    { schedule: 'raw', moment: '2026-11-21T03:00:00.000Z', state: 'failed', batch: 5 },
                    { schedule: 'customers', state: 'success' },
                  ],
                  missingMore: 3,
                }),
          }),
        ],
      }),
      'POST /api/v1/schedules/orders/ticks/release': ({ body }) => {
        sent.push(body);
        released = true;
        return new Response(null, { status: 204 });
      },
    });
    expect(await screen.findByText('raw of 2026-11-21 11:00 has failed')).toBeInTheDocument();
    expect(screen.getByText('and 4 more')).toBeInTheDocument();
    await userEvent.click(screen.getByRole('button', { name: 'Release 2026-11-21 20:00' }));
    const dialog = await screen.findByRole('dialog');
    expect(within(dialog).getByText(/nothing of customers has succeeded/)).toBeInTheDocument();
    expect(within(dialog).getByRole('link', { name: '#5' })).toHaveAttribute('href', '/batches/5');
    expect(within(dialog).getByRole('button', { name: 'Release' })).toBeDisabled();
    await userEvent.type(within(dialog).getByLabelText('Why it need not wait'), 'the file is there{Enter}');
    expect(await screen.findByText('a person released it')).toBeInTheDocument();
    expect(screen.getByText('ada: the file is there')).toBeInTheDocument();
    expect(sent).toEqual([{ moment, reason: 'the file is there' }]);
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
  });

  it('explains what happens to the moments of a disabled schedule', async () => {
    show({ 'GET /api/v1/schedules/orders': () => ({ ...SCHEDULE, enabled: false }) });
    expect(await screen.findAllByText('would be skipped')).toHaveLength(2);
    expect(screen.getByText(/its moments are recorded as skipped/)).toBeInTheDocument();
  });

  it('says that the schedule is finished, and how to go on', async () => {
    show({ 'GET /api/v1/schedules/orders': () => ({ ...SCHEDULE, nextAt: undefined, finished: 'ended' }) });
    const link = await screen.findByRole('link', { name: 'Open its settings' });
    expect(link.closest('tr')).toHaveTextContent(
      'None of its triggers is due any more. To go on, give them later times',
    );
    expect(link).toHaveAttribute('href', '/schedules/orders?view=settings');
    expect(link.closest('tr')?.nextSibling).toHaveTextContent(/^now /);
  });

  it('says that a schedule without ticks is finished', async () => {
    show({
      'GET /api/v1/schedules/orders': () => ({ ...SCHEDULE, nextAt: undefined, finished: 'max_batches' }),
      'GET /api/v1/schedules/orders/ticks': () => ({ items: [] }),
    });
    expect(await screen.findByText(/It has made as many batches as it may\./)).toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'Open its settings' })).toBeInTheDocument();
    expect(screen.queryByText(/Nothing has been due yet/)).toBeNull();
  });

  it('explains why it is empty', async () => {
    show({
      'GET /api/v1/schedules/orders': () => ({ ...SCHEDULE, triggers: [], nextAt: [] }),
      'GET /api/v1/schedules/orders/ticks': () => ({ items: [] }),
    });
    expect(await screen.findByText('This schedule has no trigger: it runs when somebody runs it.')).toBeInTheDocument();
  });
});
