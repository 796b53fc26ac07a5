import { useQueryClient } from '@tanstack/react-query';
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useSyncExternalStore,
} from 'react';
import { keys } from '@/api/queries';
import { freezeNow, noteServerClock } from '@/ui/now';
import { LiveBatch } from './batch';
import type { RunStore } from './runs';
import { type LiveFrame, LiveSocket, type LiveStatus, type Topic } from './socket';

export { RunStore, type Batch, type TaskRun } from './runs';
export type { LiveFrame, LiveStatus, Topic } from './socket';

/** The page's connection; tests give their own. */
const LiveContext = createContext<LiveSocket | null>(null);

const browser = {
  open: () => new WebSocket(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/api/v1/live`),
  now: () => Date.now(),
  later: (f: () => void, ms: number) => {
    const timer = setTimeout(f, ms);
    return () => {
      clearTimeout(timer);
    };
  },
  random: Math.random,
};

/** Holds the page's one connection. */
export function LiveProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient();
  const socket = useMemo(
    () =>
      new LiveSocket(
        browser,
        (hello) => {
          if (hello.now) noteServerClock(hello.now);
        },
        () => void client.invalidateQueries({ queryKey: keys.me }),
      ),
    [client],
  );
  useEffect(() => {
    const seen = () => {
      if (document.visibilityState === 'visible') socket.wake();
    };
    const stop = socket.subscribe(() => {
      freezeNow(socket.getStatus() === 'offline');
    });
    socket.start();
    window.addEventListener('online', socket.retryNow);
    window.addEventListener('offline', socket.lost);
    window.addEventListener('pageshow', seen);
    document.addEventListener('visibilitychange', seen);
    return () => {
      stop();
      freezeNow(false);
      window.removeEventListener('online', socket.retryNow);
      window.removeEventListener('offline', socket.lost);
      window.removeEventListener('pageshow', seen);
      document.removeEventListener('visibilitychange', seen);
      socket.close();
    };
  }, [socket]);
  return <LiveContext value={socket}>{children}</LiveContext>;
}

/** The page's connection. */
export function useLive(): LiveSocket {
  const socket = useContext(LiveContext);
  if (!socket) throw new Error('useLive needs a LiveProvider');
  return socket;
}

/** The state of the connection, for those who show it. */
export function useLiveStatus(): LiveStatus {
  const socket = useLive();
  return useSyncExternalStore(socket.subscribe, socket.getStatus);
}

/** Hears the frames of a topic as long as the component lives. */
export function useTopic(topic: Topic, receive: (frame: LiveFrame) => void): void {
  const socket = useLive();
  const latest = useRef(receive);
  useEffect(() => {
    latest.current = receive;
  });
  const name = topic.topic;
  const batch = topic.topic === 'batch' ? topic.batch : 0;
  useEffect(
    () =>
      socket.follow(name === 'batch' ? { topic: name, batch } : { topic: name }, (frame) => {
        latest.current(frame);
      }),
    [socket, name, batch],
  );
}

/**
 * A batch as it is now: read once, then kept by its live topic; read again and again while the connection is away.
 * `error` is why it could not be read, as long as nothing of it is known.
 */
export function useLiveBatch(id: number): { store: RunStore; error: unknown; retry: () => void } {
  const client = useQueryClient();
  const socket = useLive();
  const live = useMemo(() => new LiveBatch(id, client), [id, client]);
  useEffect(() => live.keep(socket), [live, socket]);
  useTopic({ topic: 'batch', batch: id }, live.take);
  const error = useSyncExternalStore(live.subscribe, live.getError);
  return { store: live.store, error, retry: live.read };
}

/** The batch of a store, renewed with every change of the batch itself. */
export function useBatch(store: RunStore) {
  return useSyncExternalStore(store.subscribe, store.getBatch);
}

/** One run of a store, renewed with its own changes only. */
export function useRun(store: RunStore, number: number | undefined) {
  const subscribe = useCallback(
    (listener: () => void) => (number === undefined ? () => undefined : store.subscribeRun(number, listener)),
    [store, number],
  );
  return useSyncExternalStore(subscribe, () => (number === undefined ? undefined : store.getRun(number)));
}

/** All runs by number, renewed with every change: for tables and counts, not for cards. */
export function useRuns(store: RunStore) {
  return useSyncExternalStore(store.subscribe, store.getRuns);
}
