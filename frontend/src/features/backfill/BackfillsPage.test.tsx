import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { renderPage } from '@/test/page';
import { BackfillsPage } from './BackfillsPage';

it('filters the backfills by who created them and by days, in the address', async () => {
  const { calls, router } = renderPage(BackfillsPage, {
    at: '/backfills?schedule=nightly&from=2026-11-20&to=2026-11-21',
    path: '/backfills',
    answers: {
      'GET /api/v1/backfills': () => ({ items: [] }),
      'GET /api/v1/schedules/nightly': () => ({ name: 'nightly', timezone: 'Asia/Shanghai' }),
    },
  });
  const asked = () =>
    calls
      .filter(({ url }) => url.pathname === '/api/v1/backfills')
      .map(({ url }) => Object.fromEntries(url.searchParams));
  await screen.findByText('No backfill matches');
  await userEvent.type(screen.getByRole('textbox', { name: 'Created by' }), 'ada{Enter}');
  await waitFor(() => {
    expect(router.state.location.search).toEqual({
      schedule: 'nightly',
      by: 'ada',
      from: '2026-11-20',
      to: '2026-11-21',
    });
  });
  await waitFor(() => {
    expect(asked().at(-1)).toEqual({
      schedule: 'nightly',
      by: 'ada',
      since: '2026-11-19T16:00:00.000Z',
      until: '2026-11-21T16:00:00.000Z',
      limit: '100',
    });
  });
});
