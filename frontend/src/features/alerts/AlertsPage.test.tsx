import { screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { beforeEach, expect, it } from 'vitest';
import { loadTexts, setLanguage } from '@/i18n';
import { renderPage } from '@/test/page';
import { AlertsPage } from './AlertsPage';

beforeEach(async () => {
  await setLanguage('en');
  await loadTexts('alerts');
});

function show(at: string) {
  const { router, calls } = renderPage(AlertsPage, {
    at,
    path: '/alerts',
    answers: {
      'GET /api/v1/alerts': () => ({ items: [] }),
      'GET /api/v1/schedules': () => ({ items: [{ name: 'orders' }, { name: 'mart' }], count: 2, total: 2 }),
    },
  });
  return { router, asked: () => calls.filter((c) => c.url.pathname === '/api/v1/alerts').map((c) => c.url.search) };
}

it('filters the log by the schedule and the time of its address', async () => {
  const { router, asked } = show('/alerts?view=log&schedule=orders&since=7d');
  expect(await screen.findByText('No alert matches')).toBeInTheDocument();
  expect(asked()).toEqual(['?schedule=orders&since=7d&limit=50']);
  await userEvent.click(screen.getByRole('combobox', { name: 'Any schedule' }));
  await userEvent.click(await screen.findByRole('option', { name: 'mart' }));
  await waitFor(() => {
    expect(router.state.location.search).toEqual({ view: 'log', schedule: 'mart', since: '7d' });
  });
  await waitFor(() => {
    expect(asked().at(-1)).toBe('?schedule=mart&since=7d&limit=50');
  });
});

it('names the buttons that remove the filters', async () => {
  const { router } = show('/alerts?view=log&schedule=orders&since=7d');
  await screen.findByText('No alert matches');
  await userEvent.click(screen.getByLabelText('Remove the filter by time'));
  await userEvent.click(screen.getByLabelText('Remove the filter by schedule'));
  await waitFor(() => {
    expect(router.state.location.search).toEqual({ view: 'log' });
  });
});

it('filters the problems by schedule, but not by time: they last', async () => {
  const { asked } = show('/alerts?schedule=orders&since=7d');
  expect(await screen.findByText('No alert matches')).toBeInTheDocument();
  expect(asked()).toEqual(['?open=true&schedule=orders&limit=50']);
  expect(screen.queryByRole('combobox', { name: 'Any time' })).not.toBeInTheDocument();
});
