import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';
import { setLanguage } from '@/i18n';
import { type Answers, renderPage } from '@/test/page';
import { ForecastPage } from './ForecastPage';
import type { Day } from './month';

// The month is far away, so that no day is over.
const DAYS: Day[] = Array.from({ length: 35 }, (_, i) => ({
  date: new Date(Date.UTC(2098, 11, 1 + i)).toISOString().slice(0, 10),
  ticks: i === 3 ? 0 : 24,
  down: 0,
  hours: Array.from({ length: 24 }, () => 1),
  items: i === 24 ? [{ kind: 'left_out', schedule: 'pick-plan', at: '2098-12-25T05:00:00Z', count: 1 }] : [],
  more: 0,
  entries: i === 24 ? [{ calendar: 'berlin', kind: 'holiday', name: 'Christmas Day' }] : [],
}));
const MONTH = { from: '2026-11-25T00:00:00Z', days: DAYS, schedules: 3, disabled: 0, following: 0, uncounted: 2 };

function show(over: Answers = {}) {
  return renderPage(ForecastPage, {
    at: '/forecast?month=2098-12',
    path: '/forecast',
    answers: {
      'GET /api/v1/forecast/month': () => MONTH,
      'GET /api/v1/schedules': () => ({ items: [] }),
      'GET /api/v1/forecast': () => ({
        from: '2026-11-25T00:00:00Z',
        until: '2098-12-24T12:00:00Z',
        items: [
          {
            schedule: 'orders',
            moment: '2098-12-24T01:00:00Z',
            trigger: '0 1 * * *',
            decision: 'waiting',
            rule: 'after',
            detail: 'waits for mart of 2098-12-24T00:00:00Z (failed)',
            count: 1,
            decidedAt: '2098-12-24T01:00:00Z',
          },
        ],
      }),
      ...over,
    },
  });
}

describe('the page of the forecast', () => {
  beforeEach(() => setLanguage('en'));

  it('says what the month does differently, and what is not counted', async () => {
    show();
    await screen.findByText('What December does differently');
    expect(screen.getByText('left out: 1 tick')).toBeVisible();
    expect(screen.getByText(/2 schedules are not counted/)).toBeVisible();
    expect(screen.getByRole('gridcell', { name: /25 December.*Christmas Day.*left out.*pick-plan/ })).toBeVisible();
  });

  it('goes to a day by the keyboard, and says where its list ends', async () => {
    const user = userEvent.setup();
    const { calls } = show();
    const first = await screen.findByRole('gridcell', { name: /Monday 1 December/ });
    first.focus();
    await user.keyboard('{ArrowDown}{ArrowRight}{End}{ArrowLeft}');
    expect(document.activeElement).toHaveTextContent('Saturday 13 December');
    await user.keyboard('{Home}{Enter}');
    const list = within(await screen.findByRole('region', { name: /Monday 8 December/ }));
    await list.findByText(/waits for mart/);
    const asked = calls.find((c) => c.url.pathname === '/api/v1/forecast')?.url.searchParams;
    expect(Date.parse(asked?.get('until') ?? '') - Date.parse(asked?.get('from') ?? '')).toBe(86_399_000);
    await user.keyboard('{PageDown}');
    await screen.findByRole('heading', { name: 'January 2099' });
  });

  it('emphasizes the days on which nothing runs', async () => {
    const user = userEvent.setup();
    show();
    await user.click(await screen.findByRole('button', { name: 'Days without runs' }));
    expect(screen.getAllByText('nothing runs')).toHaveLength(1);
  });

  it('explains an error', async () => {
    show({ 'GET /api/v1/forecast/month': () => new Response('{}', { status: 500 }) });
    await screen.findByRole('alert');
  });
});
