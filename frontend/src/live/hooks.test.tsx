import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, render, renderHook, screen } from '@testing-library/react';
import { StrictMode } from 'react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { api } from '@/api/client';
import { LiveProvider, RunStore, useBatch, useLiveBatch, useLiveStatus, useTaskKeys, useThrottledRuns } from '.';
import type { LiveRequest } from './socket';

/** A WebSocket that the test controls. */
class FakeSocket {
  static all: FakeSocket[] = [];
  readyState = 0;
  sent: LiveRequest[] = [];
  onopen: (() => void) | null = null;
  onmessage: ((e: { data: string }) => void) | null = null;
  onclose: (() => void) | null = null;
  constructor() {
    FakeSocket.all.push(this);
  }
  accept() {
    this.readyState = 1;
    this.onopen?.();
  }
  deliver(frame: object) {
    this.onmessage?.({ data: JSON.stringify(frame) });
  }
  send(text: string) {
    this.sent.push(JSON.parse(text) as LiveRequest);
  }
  close() {
    this.readyState = 3;
  }
  /** The number of followed topics. */
  get followed() {
    const ids = new Set<number>();
    for (const r of this.sent)
      if (r.op === 'follow') ids.add(r.id);
      else ids.delete(r.id);
    return ids.size;
  }
}

function Page({ id }: { id: number }) {
  const { store } = useLiveBatch(id);
  return <p>{`${useLiveStatus()} ${String(useBatch(store)?.id ?? '')} ${useBatch(store)?.state ?? ''}`}</p>;
}

const page = (id?: number) => (
  <StrictMode>
    <QueryClientProvider client={client}>
      <LiveProvider>{id === undefined ? null : <Page id={id} />}</LiveProvider>
    </QueryClientProvider>
  </StrictMode>
);
const client = new QueryClient();

beforeEach(() => {
  FakeSocket.all = [];
  vi.stubGlobal('WebSocket', FakeSocket);
  vi.spyOn(api, 'GET').mockImplementation((() => new Promise(() => undefined)) as never);
  return () => {
    vi.unstubAllGlobals();
  };
});

const live = () => FakeSocket.all.filter((s) => s.readyState < 3);

describe('a page that follows a batch, mounted twice as React does in development', () => {
  it('has one connection with one topic, changes the topic with the batch, and closes both on unmount', async () => {
    const { rerender, unmount } = render(page(1));
    expect(live()).toHaveLength(1);
    const socket = live()[0]!;
    act(() => {
      socket.accept();
    });
    expect(socket.followed).toBe(1);
    const first = socket.sent.at(-1)!;
    act(() => {
      socket.deliver({ op: 'snapshot', id: first.id, epoch: 1, n: 1, batch: { id: 1, state: 'running', tasks: [] } });
    });
    expect(await screen.findByText('live 1 running')).toBeInTheDocument();
    rerender(page(2));
    expect(socket.followed).toBe(1);
    expect(socket.sent.filter((r) => r.op === 'follow').at(-1)).toMatchObject({ topic: 'batch', batch: 2 });
    act(() => {
      socket.deliver({ op: 'delta', id: first.id, epoch: 1, n: 2, batch: { id: 1, state: 'failed', tasks: [] } });
    });
    expect(await screen.findByText('live')).toBeInTheDocument(); // the other batch is not loaded yet
    rerender(page());
    expect(socket.followed).toBe(0);
    unmount();
    expect(live()).toHaveLength(0);
  });

  it('reconnects when the page becomes visible after a sleep, and when the network is back', () => {
    vi.useFakeTimers();
    try {
      render(page(1));
      act(() => {
        live()[0]!.accept();
      });
      vi.setSystemTime(Date.now() + 3_600_000);
      act(() => {
        document.dispatchEvent(new Event('visibilitychange'));
      });
      const second = live();
      expect(second).toHaveLength(1);
      act(() => {
        second[0]!.accept();
      });
      expect(second[0]!.followed).toBe(1);
      act(() => {
        window.dispatchEvent(new Event('offline'));
      });
      expect(screen.getByText(/^offline/)).toBeInTheDocument();
      act(() => {
        window.dispatchEvent(new Event('online'));
      });
      act(() => {
        live()[0]!.accept();
      });
      expect(screen.getByText(/^live/)).toBeInTheDocument();
      expect(live()[0]!.followed).toBe(1);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('a picture of all runs', () => {
  const state = (...states: string[]) =>
    ({ id: 1, state: 'running', tasks: states.map((s, number) => ({ number, key: `t${number}`, state: s })) }) as never;

  it('renders for changes together, and at once of another batch', () => {
    vi.useFakeTimers();
    try {
      const [first, second] = [new RunStore(), new RunStore()];
      first.reset(state('waiting'));
      second.reset(state('failed'));
      let renders = 0;
      const { result, rerender } = renderHook(
        ({ store }) => {
          renders++;
          return useThrottledRuns(store).map((run) => run.state);
        },
        { initialProps: { store: first } },
      );
      for (const s of ['ready', 'running', 'succeeded'])
        act(() => {
          first.reset(state(s));
        });
      expect([result.current, renders]).toEqual([['waiting'], 1]);
      act(() => vi.advanceTimersByTime(250));
      expect([result.current, renders]).toEqual([['succeeded'], 2]);
      rerender({ store: second });
      expect(result.current).toEqual(['failed']);
    } finally {
      vi.useRealTimers();
    }
  });

  it('has the same keys while states change', () => {
    const store = new RunStore();
    store.reset(state('waiting', 'waiting'));
    const { result } = renderHook(() => useTaskKeys(store));
    const before = result.current;
    act(() => {
      store.reset(state('running', 'waiting'));
    });
    expect(result.current).toBe(before);
    act(() => {
      store.reset(state('running', 'waiting', 'waiting'));
    });
    expect(result.current).toEqual(['t0', 't1', 't2']);
  });
});
