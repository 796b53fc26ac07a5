import { QueryClient } from '@tanstack/react-query';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { api, ApiError } from '@/api/client';
import { LiveBatch } from './batch';
import { type Batch, RunStore } from './runs';
import type { LiveSocket, LiveStatus } from './socket';

const batchIn = (state: Batch['state']) =>
  ({ id: 1, state, tasks: [], params: {}, live: state === 'running' }) as unknown as Batch;

let answers: { resolve: (state: Batch['state']) => void; reject: (error: Error) => void }[];
let live: LiveBatch;

beforeEach(() => {
  answers = [];
  vi.spyOn(api, 'GET').mockImplementation(
    (() =>
      new Promise((resolve, reject) => {
        answers.push({
          resolve: (state) => {
            resolve({ data: batchIn(state) });
          },
          reject,
        });
      })) as never,
  );
  live = new LiveBatch(1, new QueryClient({ defaultOptions: { queries: { retry: false } } }), new RunStore());
});

const nextTask = () =>
  new Promise((done) => {
    setTimeout(done, 0);
  });

describe('a batch that is read and followed', () => {
  it('shows the answer until frames arrive', async () => {
    live.read();
    await vi.waitFor(() => {
      expect(answers).toHaveLength(1);
    });
    answers[0]?.resolve('running');
    await vi.waitFor(() => {
      expect(live.store.getBatch()?.state).toBe('running');
    });
    live.applyFrame({ op: 'snapshot', batch: batchIn('failed') });
    expect(live.store.getBatch()?.state).toBe('failed');
  });

  it('ignores an answer that is older than a frame', async () => {
    live.read();
    await vi.waitFor(() => {
      expect(answers).toHaveLength(1);
    });
    live.applyFrame({ op: 'snapshot', batch: batchIn('succeeded') });
    answers[0]?.resolve('running');
    await nextTask();
    expect(live.store.getBatch()?.state).toBe('succeeded');
  });

  it('has an error only until the batch is loaded', async () => {
    const listener = vi.fn();
    live.subscribe(listener);
    live.read();
    await vi.waitFor(() => {
      expect(answers).toHaveLength(1);
    });
    answers[0]?.reject(new Error('not found'));
    await vi.waitFor(() => {
      expect(live.getError()).toEqual(new Error('not found'));
    });
    expect(listener).toHaveBeenCalled();
    live.applyFrame({ op: 'snapshot', batch: batchIn('running') });
    expect(live.getError()).toBeNull();
  });

  it('stays shown when it is deleted, and says so', async () => {
    live.applyFrame({ op: 'snapshot', batch: batchIn('succeeded') });
    const answer = async (number: number, error: Error) => {
      await vi.waitFor(() => {
        expect(answers).toHaveLength(number);
      });
      answers[number - 1]?.reject(error);
      await nextTask();
    };
    const stop = live.start({ getStatus: () => 'live' } as LiveSocket);
    await answer(1, new Error('offline'));
    expect(live.isDeleted()).toBe(false);
    document.dispatchEvent(new Event('visibilitychange'));
    await answer(2, new ApiError(404, { detail: 'there is no batch 1' } as never));
    expect(live.isDeleted()).toBe(true);
    expect(live.getError()).toBeNull();
    expect(live.store.getBatch()?.state).toBe('succeeded');
    stop();
    document.dispatchEvent(new Event('visibilitychange'));
    await nextTask();
    expect(answers).toHaveLength(2);
  });

  it('notifies nobody when a read finds what is known', async () => {
    live.applyFrame({ op: 'snapshot', batch: batchIn('running') });
    const listener = vi.fn();
    live.subscribe(listener);
    for (const [at, state] of (['running', 'running', 'failed'] as const).entries()) {
      live.read();
      await vi.waitFor(() => {
        expect(answers).toHaveLength(at + 1);
      });
      answers[at]?.resolve(state);
      await nextTask();
      expect(listener).toHaveBeenCalledTimes(state === 'failed' ? 1 : 0);
    }
  });

  it('is polled without the live connection, until it is stopped', async () => {
    vi.useFakeTimers();
    try {
      let status: LiveStatus = 'live';
      const stop = live.start({ getStatus: () => status } as LiveSocket);
      await vi.advanceTimersByTimeAsync(0);
      answers[0]?.resolve('running');
      await vi.advanceTimersByTimeAsync(30_000);
      expect(answers).toHaveLength(1);
      status = 'offline';
      await vi.advanceTimersByTimeAsync(10_000);
      expect(answers).toHaveLength(2);
      answers[1]?.resolve('failed');
      await vi.advanceTimersByTimeAsync(0);
      expect(live.store.getBatch()?.state).toBe('failed');
      stop();
      await vi.advanceTimersByTimeAsync(30_000);
      expect(answers).toHaveLength(2);
    } finally {
      vi.useRealTimers();
    }
  });
});
