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

/** Opens the live connection of the page for its children. */
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
    const wakeIfVisible = () => {
      if (document.visibilityState === 'visible') socket.wake();
    };
    const stop = socket.subscribe(() => {
      freezeNow(socket.getStatus() === 'offline');
    });
    socket.start();
    window.addEventListener('online', socket.retryNow);
    window.addEventListener('offline', socket.connectionLost);
    window.addEventListener('pageshow', wakeIfVisible);
    document.addEventListener('visibilitychange', wakeIfVisible);
    return () => {
      stop();
      freezeNow(false);
      window.removeEventListener('online', socket.retryNow);
      window.removeEventListener('offline', socket.connectionLost);
      window.removeEventListener('pageshow', wakeIfVisible);
      document.removeEventListener('visibilitychange', wakeIfVisible);
      socket.close();
    };
  }, [socket]);
  return <LiveContext value={socket}>{children}</LiveContext>;
}

/** The live connection of the page. */
export function useLive(): LiveSocket {
  const socket = useContext(LiveContext);
  if (!socket) throw new Error('useLive needs a LiveProvider');
  return socket;
}

/** The state of the live connection. */
export function useLiveStatus(): LiveStatus {
  const socket = useLive();
  return useSyncExternalStore(socket.subscribe, socket.getStatus);
}

/** The interval at which a page polls without the live connection, in milliseconds. */
const OFFLINE_POLL = 5_000;

/** The poll interval of a query in milliseconds: `live` with the live connection, a short one without it. */
export function usePollInterval(live: number | false = false): number | false {
  return useLiveStatus() === 'offline' ? OFFLINE_POLL : live;
}

/** Receives the frames of a topic while the component is mounted. */
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
 * The current state of a batch: read once, then updated by its live topic, or by regular reads without the live
 * connection. `error` is the reason if the batch could not be read at all.
 */
export function useLiveBatch(id: number): { store: RunStore; error: unknown; retry: () => void } {
  const client = useQueryClient();
  const socket = useLive();
  const live = useMemo(() => new LiveBatch(id, client), [id, client]);
  useEffect(() => live.start(socket), [live, socket]);
  useTopic({ topic: 'batch', batch: id }, live.applyFrame);
  const error = useSyncExternalStore(live.subscribe, live.getError);
  return { store: live.store, error, retry: live.read };
}

/** The batch of a store. The component renders again with every change of the batch. */
export function useBatch(store: RunStore) {
  return useSyncExternalStore(store.subscribe, store.getBatch);
}

/** A run of a store. The component renders again only with changes of this run. */
export function useRun(store: RunStore, number: number | undefined) {
  const subscribe = useCallback(
    (listener: () => void) => (number === undefined ? () => undefined : store.subscribeRun(number, listener)),
    [store, number],
  );
  return useSyncExternalStore(subscribe, () => (number === undefined ? undefined : store.getRun(number)));
}

/** All runs by number. The component renders again with every change: use it for tables and counts, not for cards. */
export function useRuns(store: RunStore) {
  return useSyncExternalStore(store.subscribe, store.getRuns);
}
