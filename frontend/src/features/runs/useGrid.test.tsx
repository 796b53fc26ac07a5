import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { describe, expect, it } from 'vitest';
import { type Answers, renderPage } from '@/test/page';
import type { Answer, Batch } from './grid';
import type { RunsSearch } from './search';
import { useGrid } from './useGrid';

const batch = (id: number, over: Partial<Batch> = {}): Batch => ({
  id,
  schedule: 'orders',
  revision: 1,
  kind: 'scheduled',
  state: 'succeeded',
  wish: 'run',
  reason: '',
  round: 1,
  live: false,
  moment: '2026-05-01T03:00:00Z',
  createdAt: '2026-05-01T03:00:00Z',
  createdBy: '',
  ...over,
});
const answer = (b: Batch, cells: string): Answer => ({
  batches: [b],
  rows: [{ job: 'j', task: 'a', cells, took: [0] }],
});
const RUNNING = answer(batch(1, { state: 'running', live: true }), 'u');
const FAILED = answer(batch(1, { state: 'failed' }), 'f');

/** The states of the batches, and the cells of the only task. */
function Page() {
  const [search, setSearch] = useState<RunsSearch>({});
  const { grid, follow } = useGrid('orders', 'UTC', search);
  return (
    <>
      <button onClick={() => setSearch({ kind: 'manual' })}>only manual</button>
      <button onClick={() => setSearch({})}>all</button>
      <button onClick={() => setSearch({ executor: 'one', by: 'cron', param: 'region=east' })}>more filters</button>
      <p>{grid && `${grid.batches.map(({ state }) => state).join(' ')}: ${grid.rows[0]?.cells ?? ''}`}</p>
      {follow}
    </>
  );
}

const show = (runs: Answers[string]) =>
  renderPage(Page, { at: '/', path: '/', answers: { 'GET /api/v1/schedules/orders/runs': runs } });

describe('the grid of a schedule', () => {
  it('keeps a change that arrives before the older answer', async () => {
    let respond: (a: Answer) => void = () => undefined;
    const { frame, calls } = show(({ url }) =>
      url.searchParams.get('limit') === '1'
        ? FAILED
        : new Promise((resolve) => {
            respond = resolve;
          }),
    );
    await waitFor(() => {
      expect(calls.some(({ url }) => url.pathname.endsWith('/runs'))).toBe(true);
    });
    frame('batches', { op: 'snapshot', batches: [] });
    frame('batches', { batches: [batch(1, { state: 'failed' })] });
    act(() => {
      respond(RUNNING);
    });
    expect(await screen.findByText('failed: f')).toBeInTheDocument();
  });

  it('asks for the batches of an executor, a starter and parameters', async () => {
    const { calls } = show(() => RUNNING);
    fireEvent.click(await screen.findByText('more filters'));
    await waitFor(() => {
      expect(calls.at(-1)?.url.search).toBe('?limit=30&executor=one&by=cron&param=region%3Deast');
    });
  });

  it('reads the grid of a filter again that it has shown before', async () => {
    let ended = false;
    show(({ url }) =>
      url.searchParams.get('kind') === 'manual' ? { batches: [], rows: [] } : ended ? FAILED : RUNNING,
    );
    expect(await screen.findByText('running: u')).toBeInTheDocument();
    fireEvent.click(screen.getByText('only manual'));
    expect(await screen.findByText(':')).toBeInTheDocument();
    ended = true;
    fireEvent.click(screen.getByText('all'));
    expect(await screen.findByText('failed: f')).toBeInTheDocument();
  });
});
