import { act, screen, waitFor } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { type Batch, RunStore } from '@/live';
import { renderPage } from '@/test/page';
import { useAttempts } from './useAttempts';

it('reads the attempts again after a change, but not while the page is hidden', async () => {
  const store = new RunStore();
  const task = { number: 0, key: 'a', state: 'running', attempts: 1, round: 1 };
  const change = (state: string) => {
    act(() => {
      store.reset({ id: 1, state: 'running', tasks: [{ ...task, state }] } as unknown as Batch);
    });
  };
  change('running');
  let reads = 0;
  const Page = () => <p>{useAttempts(1, store).length}</p>;
  renderPage(Page, {
    at: '/',
    path: '/',
    answers: { 'GET /api/v1/batches/1/attempts': () => ({ items: Array.from({ length: ++reads }, () => ({})) }) },
  });
  await screen.findByText('1');

  const visibility = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden');
  vi.useFakeTimers();
  change('succeeded');
  await act(() => vi.advanceTimersByTimeAsync(10_000));
  expect(reads).toBe(1);
  visibility.mockReturnValue('visible');
  act(() => {
    document.dispatchEvent(new Event('visibilitychange'));
  });
  await act(() => vi.advanceTimersByTimeAsync(1_000));
  vi.useRealTimers();
  await waitFor(() => {
    expect(reads).toBe(2);
  });
  vi.restoreAllMocks();
});
