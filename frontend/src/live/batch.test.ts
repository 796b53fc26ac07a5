import { QueryClient } from '@tanstack/react-query';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { api } from '@/api/client';
import { LiveBatch } from './batch';
import { type Batch, RunStore } from './runs';
import type { LiveSocket, LiveStatus } from './socket';

const at = (state: Batch['state']) =>
  ({ id: 1, state, tasks: [], params: {}, live: state === 'running' }) as unknown as Batch;

let answers: { give: (state: Batch['state']) => void; fail: (error: Error) => void }[];
let live: LiveBatch;

beforeEach(() => {
  answers = [];
  vi.spyOn(api, 'GET').mockImplementation(
    (() =>
      new Promise((resolve, reject) => {
        answers.push({
          give: (state) => {
            resolve({ data: at(state) });
          },
          fail: reject,
        });
      })) as never,
  );
  live = new LiveBatch(1, new QueryClient({ defaultOptions: { queries: { retry: false } } }), new RunStore());
});

const settled = () =>
  new Promise((done) => {
    setTimeout(done, 0);
  });

describe('a batch that is read and followed', () => {
  it('shows the answer until frames come', async () => {
    live.read();
    await vi.waitFor(() => {
      expect(answers).toHaveLength(1);
    });
    answers[0]?.give('running');
    await vi.waitFor(() => {
      expect(live.store.getBatch()?.state).toBe('running');
    });
    live.take({ op: 'snapshot', batch: at('failed') });
    expect(live.store.getBatch()?.state).toBe('failed');
  });

  it('does not believe an answer that is older than a frame', async () => {
    live.read();
    await vi.waitFor(() => {
      expect(answers).toHaveLength(1);
    });
    live.take({ op: 'snapshot', batch: at('succeeded') });
    answers[0]?.give('running');
    await settled();
    expect(live.store.getBatch()?.state).toBe('succeeded');
  });

  it('has an error only as long as nothing is known', async () => {
    const shown = vi.fn();
    live.subscribe(shown);
    live.read();
    await vi.waitFor(() => {
      expect(answers).toHaveLength(1);
    });
    answers[0]?.fail(new Error('gone'));
    await vi.waitFor(() => {
      expect(live.getError()).toEqual(new Error('gone'));
    });
    expect(shown).toHaveBeenCalled();
    live.take({ op: 'snapshot', batch: at('running') });
    expect(live.getError()).toBeNull();
  });

  it('is read again and again while the connection is away, and no longer than it is shown', async () => {
    vi.useFakeTimers();
    try {
      let status: LiveStatus = 'live';
      const end = live.keep({ getStatus: () => status } as LiveSocket);
      await vi.advanceTimersByTimeAsync(0);
      answers[0]?.give('running');
      await vi.advanceTimersByTimeAsync(30_000);
      expect(answers).toHaveLength(1);
      status = 'offline';
      await vi.advanceTimersByTimeAsync(10_000);
      expect(answers).toHaveLength(2);
      answers[1]?.give('failed');
      await vi.advanceTimersByTimeAsync(0);
      expect(live.store.getBatch()?.state).toBe('failed');
      end();
      await vi.advanceTimersByTimeAsync(30_000);
      expect(answers).toHaveLength(2);
    } finally {
      vi.useRealTimers();
    }
  });
});
