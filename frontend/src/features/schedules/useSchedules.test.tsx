import { act, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { beforeEach, expect, it } from 'vitest';
import { setLanguage } from '@/i18n';
import { renderPage } from '@/test/page';
import { NIGHT, OVERVIEW } from '@/test/schedules';
import { SchedulesPage } from './SchedulesPage';

const schedule = (name: string) => ({ name, enabled: true, revision: 1, createdAt: '', updatedAt: '' });
const OTHER_FAILED = {
  id: 5,
  schedule: 'other',
  revision: 1,
  kind: 'manual' as const,
  wish: 'run' as const,
  reason: '',
  round: 1,
  state: 'failed' as const,
  live: false,
  moment: '2026-11-21T12:00:00.000Z',
  createdAt: '',
  createdBy: 'ada',
};

beforeEach(() => setLanguage('en'));

it('reads the rows after the next page if a schedule may have come to the top meanwhile', async () => {
  let respond: (page: object) => void = () => undefined;
  const page = new Promise<object>((resolve) => {
    respond = resolve;
  });
  let nextPages = 0;
  const { calls, frame } = renderPage(SchedulesPage, {
    at: '/',
    path: '/',
    answers: {
      'GET /api/v1/overview': () => OVERVIEW,
      'GET /api/v1/night': () => NIGHT,
      'GET /api/v1/night/open': () => ({ items: [], count: 0 }),
      'GET /api/v1/schedules': ({ url }) => {
        if (!url.searchParams.get('after')) return { items: [schedule('first')], next: '3~x' };
        nextPages += 1;
        return nextPages === 1 ? page : { items: [schedule('next')] };
      },
    },
  });
  await screen.findByRole('link', { name: 'first' });
  const reads = () => calls.filter((c) => c.url.pathname === '/api/v1/schedules').length;
  frame('batches', { op: 'snapshot', batches: [] });
  await userEvent.click(screen.getByRole('button', { name: 'Show more' }));
  await waitFor(() => {
    expect(nextPages).toBe(1);
  });
  frame('batches', { batches: [OTHER_FAILED] });
  expect(reads()).toBe(2);
  act(() => {
    respond({ items: [schedule('next')] });
  });
  expect(await screen.findByRole('link', { name: 'next' })).toBeInTheDocument();
  await waitFor(() => {
    expect(reads()).toBe(4); // both pages again
  });
});
