import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';
import { setLanguage } from '@/i18n';
import { type Answers, problem, renderPage } from '@/test/page';
import { BatchesPage } from './BatchesPage';
import type { Batch } from './list';

const batch = (id: number, over: Partial<Batch> = {}): Batch => ({
  id,
  schedule: 'orders',
  revision: 4,
  kind: 'scheduled',
  state: 'succeeded',
  wish: 'run',
  reason: '',
  round: 1,
  live: false,
  moment: '2026-11-21T11:00:00.000Z',
  createdAt: '2026-11-21T11:00:00.000Z',
  createdBy: '',
  startedAt: '2026-11-21T11:00:00.000Z',
  finishedAt: '2026-11-21T11:00:30.000Z',
  counts: { succeeded: 2 },
  ...over,
});

function show(at: string, over: Answers = {}) {
  return renderPage(BatchesPage, {
    at,
    path: '/batches',
    answers: { 'GET /api/v1/batches': () => ({ items: [batch(2), batch(1)] }), ...over },
  });
}
const ids = () => [...document.querySelectorAll('tbody th a')].map((a) => a.getAttribute('href'));

describe('the batches page', () => {
  beforeEach(() => setLanguage('en'));

  it('filters by the address, and loads the next page', async () => {
    const { calls } = show('/batches?state=failed,running&kind=manual&schedule=orders', {
      'GET /api/v1/batches': ({ url }) =>
        url.searchParams.get('before') ? { items: [batch(1)] } : { items: [batch(2)], next: 2 },
    });
    await userEvent.click(await screen.findByRole('button', { name: 'Show more' }));
    await waitFor(() => {
      expect(ids()).toEqual(['/batches/2', '/batches/1']);
    });
    const asked = calls.filter((c) => c.url.pathname === '/api/v1/batches').map((c) => c.url.searchParams);
    expect(asked.map((p) => p.get('before'))).toEqual([null, '2']);
    expect(asked.map((p) => [p.getAll('state'), p.get('kind'), p.get('schedule')])).toEqual(
      Array(2).fill([['running,failed'], 'manual', 'orders']),
    );
  });

  it('disables the actions while the server cannot be reached', async () => {
    const { disconnect } = show('/batches', {
      'GET /api/v1/batches': () => ({ items: [batch(3, { state: 'failed' })] }),
      'GET /api/v1/version': () => {
        throw new TypeError('Failed to fetch');
      },
    });
    const resume = await screen.findByRole('button', { name: 'Resume batch 3…' });
    disconnect();
    await waitFor(() => {
      expect(resume).toHaveAttribute('aria-disabled', 'true');
    });
    expect(resume).toHaveAccessibleDescription('This needs the server, which cannot be reached now.');
    // The live connection comes back by itself.
    await waitFor(() => {
      expect(resume).not.toHaveAttribute('aria-disabled');
    });
  });

  it('leaves the actions enabled if only the live connection is missing', async () => {
    const { disconnect, calls } = show('/batches', {
      'GET /api/v1/batches': () => ({ items: [batch(3, { state: 'failed' })] }),
      'GET /api/v1/version': () => ({}),
    });
    const resume = await screen.findByRole('button', { name: 'Resume batch 3…' });
    disconnect();
    await waitFor(() => {
      expect(calls.some((c) => c.url.pathname === '/api/v1/version')).toBe(true);
    });
    expect(resume).not.toHaveAttribute('aria-disabled');
  });

  it('shows the facts, the state and the action of each batch', async () => {
    show('/batches', {
      'GET /api/v1/batches': () => ({
        items: [
          batch(3, {
            state: 'failed',
            kind: 'manual',
            createdBy: 'ada',
            round: 2,
            counts: { failed: 1, succeeded: 1 },
            usualSeconds: 5,
          }),
          batch(2, { schedule: '', revision: 0, kind: 'adhoc', createdBy: 'ada' }),
          batch(1, { state: 'failed', closedNote: 'known' }),
        ],
      }),
    });
    await screen.findByRole('button', { name: 'Resume batch 3…' });
    const [third, second, first] = screen
      .getAllByRole('row')
      .slice(1)
      .map((row) => row.textContent);
    for (const text of [
      'failed',
      '1 task failed',
      'orders',
      '#3 · by ada · v4 · round 2',
      '1 of 2',
      '30 s',
      'usually 5 s: slow',
    ])
      expect(third).toContain(text);
    for (const text of ['One task', 'one task, by ada']) expect(second).toContain(text);
    expect(second).not.toContain('v0');
    expect(first).toContain('closed: known');
    expect(screen.getAllByRole('button', { name: /^Resume/ })).toHaveLength(1);
  });

  it('shows a moment in several zones on hover', async () => {
    show('/batches', {
      'GET /api/v1/batches': () => ({ items: [batch(1)] }),
      'GET /api/v1/schedules/orders': () => ({ name: 'orders', timezone: 'Asia/Tokyo', definition: { jobs: [] } }),
    });
    await userEvent.hover(within(await screen.findByRole('link', { name: /^orders/ })).getByText(/2026-11-2/));
    expect(await screen.findByText('2026-11-21 20:00:00 Asia/Tokyo')).toBeInTheDocument();
    expect(screen.getByText('2026-11-21 11:00:00 UTC')).toBeInTheDocument();
  });

  it('adds new batches at the top, and updates others in place', async () => {
    const { frame } = show('/batches');
    await waitFor(() => {
      expect(ids()).toHaveLength(2);
    });
    frame('batches', { op: 'snapshot', batches: [] });
    frame('batches', { batches: [batch(3, { state: 'running', live: true }), batch(1, { state: 'failed' })] });
    await waitFor(() => {
      expect(ids()).toEqual(['/batches/3', '/batches/2', '/batches/1']);
    });
    expect(screen.getAllByRole('row').at(-1)).toHaveTextContent('failed');
  });

  it('keeps a change that arrives before the older response', async () => {
    let respond: (list: unknown) => void = () => undefined;
    const { calls, frame } = show('/batches', {
      'GET /api/v1/batches': () =>
        new Promise((resolve) => {
          respond = resolve;
        }),
    });
    await waitFor(() => {
      expect(calls.some((c) => c.url.pathname === '/api/v1/batches')).toBe(true);
    });
    frame('batches', { op: 'snapshot', batches: [batch(4)] });
    frame('batches', { batches: [batch(3, { state: 'failed' })] });
    respond({ items: [batch(4, { state: 'running', live: true }), batch(2), batch(1)] });
    await waitFor(() => {
      expect(ids()).toEqual(['/batches/4', '/batches/3', '/batches/2', '/batches/1']);
    });
    expect(screen.getAllByRole('row')[1]).toHaveTextContent('succeeded');
  });

  it('keeps the new batches of two frames that arrive before it renders', async () => {
    const { frame } = show('/batches');
    await waitFor(() => {
      expect(ids()).toHaveLength(2);
    });
    (document.getElementById('content') as HTMLElement).scrollTop = 500;
    act(() => {
      frame('batches', { op: 'snapshot', batches: [batch(3)] });
      frame('batches', { batches: [batch(4)] });
    });
    expect(await screen.findByRole('button', { name: '2 new batches' })).toBeInTheDocument();
  });

  it('lets new batches wait while the user has scrolled down', async () => {
    const { frame } = show('/batches');
    await waitFor(() => {
      expect(ids()).toHaveLength(2);
    });
    const content = document.getElementById('content') as HTMLElement;
    content.scrollTop = 500;
    frame('batches', { op: 'snapshot', batches: [batch(3), batch(4)] });
    expect(ids()).toEqual(['/batches/2', '/batches/1']);
    await userEvent.click(await screen.findByRole('button', { name: '2 new batches' }));
    await waitFor(() => {
      expect(ids()).toEqual(['/batches/4', '/batches/3', '/batches/2', '/batches/1']);
    });
  });

  it('filters by states, describes the filters of an empty list, and clears them', async () => {
    const { router } = show('/batches?schedule=orders', {
      'GET /api/v1/batches': ({ url }) => ({ items: url.searchParams.get('state') ? [] : [batch(1)] }),
    });
    await userEvent.click(await screen.findByRole('button', { name: 'failed' }));
    expect(await screen.findByText('schedule orders · failed')).toBeInTheDocument();
    expect(router.state.location.search).toEqual({ schedule: 'orders', state: 'failed' });
    await userEvent.click(screen.getByRole('button', { name: 'Show all batches' }));
    await waitFor(() => {
      expect(ids()).toEqual(['/batches/1']);
    });
    expect(router.state.location.search).toEqual({});
  });

  it('sets more filters by a form, shows them, and removes one', async () => {
    const { router, calls } = show('/batches?state=failed', {
      'GET /api/v1/schedules': () => ({ items: [{ name: 'orders', tags: ['finance'], owners: ['ada'] }] }),
      'GET /api/v1/executors': () => ({ items: [{ name: 'etl-1' }] }),
    });
    await userEvent.click(await screen.findByRole('button', { name: 'More filters' }));
    const form = within(screen.getByRole('form', { name: 'More filters' }));
    const fill = (label: string, value: string) => {
      fireEvent.change(form.getByLabelText(label), { target: { value } });
    };
    fill('Tag', 'finance');
    fill('Parameters', 'region=a,b; day=5');
    fill('Took longer than', 'long');
    await userEvent.click(form.getByRole('button', { name: 'Apply' }));
    expect(form.getByText(/^Not a duration/)).toBeInTheDocument();
    fill('Took longer than', '90 min');
    await userEvent.click(form.getByRole('button', { name: 'Apply' }));
    await waitFor(() => {
      expect(router.state.location.search).toEqual({
        state: 'failed',
        tag: 'finance',
        param: 'region=a\\,b,day=5',
        longer: '1h30m',
      });
    });
    expect(screen.queryByRole('form')).not.toBeInTheDocument();
    await waitFor(() => {
      expect(
        calls
          .filter((c) => c.url.pathname === '/api/v1/batches')
          .at(-1)
          ?.url.searchParams.get('param'),
      ).toBe('region=a\\,b,day=5');
    });
    const link = screen.getByRole('link', { name: 'Download CSV' });
    expect(link.getAttribute('href')).toContain('/api/v1/batches.csv?bom=true&tag=finance&');
    await userEvent.click(screen.getByRole('button', { name: 'Remove the filter tag finance' }));
    expect(router.state.location.search).not.toHaveProperty('tag');
    await userEvent.click(screen.getByRole('button', { name: 'More filters' }));
    await userEvent.click(screen.getByRole('button', { name: 'yesterday' }));
    expect(router.state.location.search).toMatchObject({ since: 'yesterday', until: 'today', longer: '1h30m' });
  });

  it('lists what needs a person, with the number of the home page', async () => {
    const { router, calls } = show('/batches', {
      'GET /api/v1/overview': () => ({ needsPerson: 2 }),
      'GET /api/v1/batches': ({ url }) => ({ items: url.searchParams.get('needsPerson') ? [batch(1)] : [batch(2)] }),
    });
    await userEvent.click(await screen.findByRole('button', { name: '2 need a person' }));
    await waitFor(() => {
      expect(ids()).toEqual(['/batches/1']);
    });
    expect(router.state.location.search).toEqual({ needs: 'person' });
    const asked = calls.filter((c) => c.url.pathname === '/api/v1/batches');
    expect(asked.at(-1)?.url.searchParams.get('needsPerson')).toBe('true');
  });

  it('shows an error', async () => {
    show('/batches', { 'GET /api/v1/batches': () => problem(403, 'forbidden', 'ask somebody') });
    expect(within(await screen.findByRole('alert')).getByText('ask somebody')).toBeInTheDocument();
  });
});
