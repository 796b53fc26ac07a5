import { screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Schemas } from '@/api/client';
import { setLanguage } from '@/i18n';
import { type Answers, problem, renderPage } from '@/test/page';
import { Notices } from './Notices';

const notice = (over: Partial<Schemas['Notice']> = {}): Schemas['Notice'] => ({
  id: 3,
  at: '2026-05-01T03:20:00.000Z',
  heard: 12,
  session: 13,
  executors: ['e1', 'e2'],
  running: 1,
  ended: 2,
  attempts: [
    { executor: 'e1', id: 7, key: 'k', batchId: 40, schedule: 'sales', task: 'load', running: true },
    { executor: 'e2', id: 8, key: 'k', running: false },
  ],
  ...over,
});

function show(items: Schemas['Notice'][], over: Answers = {}, admin = true) {
  return renderPage(Notices, {
    at: '/',
    path: '/',
    answers: { 'GET /api/v1/me': () => ({ name: 'ada', admin }), 'GET /api/v1/notices': () => ({ items }), ...over },
  });
}

describe('the notice of a restored database', () => {
  beforeEach(() => setLanguage('en'));

  it('shows what the server found, and what to do', async () => {
    show([notice()]);
    const shown = await screen.findByRole('region', { name: 'The database went back' });
    for (const text of [
      'Executors had heard of session 12, which it does not know: e1, e2. This server took session 13',
      'Executors had 3 attempts that the database does not have. Running, and ended now: 1. Already ended: 2.',
      'run again what is missing',
      'sales · load · batch 40, on e1: running, and ended now',
      'attempt 8, on e2: already ended',
      'and one more',
    ])
      expect(shown).toHaveTextContent(text);
  });

  it('does not mention sessions or attempts if there were none', async () => {
    show([notice({ heard: undefined, running: 0, ended: 0, attempts: [] })]);
    const shown = await screen.findByRole('region', { name: 'The database went back' });
    expect(shown).not.toHaveTextContent('heard');
    expect(shown).not.toHaveTextContent('attempts that');
  });

  it('can be dismissed by administrators', async () => {
    const items = [notice()];
    const { calls } = show(items, {
      'DELETE /api/v1/notices/3': () => {
        items.length = 0;
        return {};
      },
    });
    await userEvent.click(await screen.findByRole('button', { name: 'Dismiss' }));
    await waitFor(() => {
      expect(screen.queryByRole('region')).toBeNull();
    });
    expect(calls.some((c) => c.method === 'DELETE' && c.url.pathname === '/api/v1/notices/3')).toBe(true);
  });

  it('cannot be dismissed by other users', async () => {
    show([notice()], {}, false);
    expect(await screen.findByRole('region')).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Dismiss' })).toBeNull();
  });

  it('shows why it was not dismissed', async () => {
    show([notice()], { 'DELETE /api/v1/notices/3': () => problem(503, 'unavailable', 'the database is away') });
    await userEvent.click(await screen.findByRole('button', { name: 'Dismiss' }));
    expect(await screen.findByRole('alert')).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Dismiss' })).toBeEnabled();
  });
});
