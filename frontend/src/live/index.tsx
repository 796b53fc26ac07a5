import { useQuery, useQueryClient } from '@tanstack/react-query';
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { api, OfflineError, type Schemas } from '@/api/client';
import { keys } from '@/api/queries';
import { ServerReach } from '@/ui/NeedsServer';
import { freezeNow, noteServerClock } from '@/ui/now';
import { LiveBatch } from './batch';
import type { RunStore, TaskRun } from './runs';
import { type Joined, type LiveFrame, LiveSocket, type LiveStatus, type Presence, type Topic } from './socket';

export { RunStore, shardName, shardsOf, taskKeyOf, type Batch, type ShardRun, type TaskRun } from './runs';
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
  return (
    <LiveContext value={socket}>
      <Reach>{children}</Reach>
    </LiveContext>
  );
}

/** The interval at which a page polls without the live connection, in milliseconds. */
const OFFLINE_POLL = 5_000;

/** A probe without an answer for so many milliseconds has failed. */
const PROBE_TIMEOUT = 4_000;

/**
 * Probes the server while there is no live connection. A proxy that does not let the live connection through still
 * lets commands through.
 */
function Reach({ children }: { children: ReactNode }) {
  const status = useLiveStatus();
  const offline = status === 'offline';
  const client = useQueryClient();
  // The answer of an earlier outage says nothing about the next one.
  useEffect(() => {
    if (status === 'live') client.setQueryData(['reach'], true);
  }, [status, client]);
  const { data: reached } = useQuery({
    queryKey: ['reach'],
    queryFn: () =>
      api.GET('/api/v1/version', { signal: AbortSignal.timeout(PROBE_TIMEOUT) }).then(
        () => true,
        (error: unknown) => !(error instanceof OfflineError),
      ),
    enabled: offline,
    staleTime: 0,
    refetchInterval: OFFLINE_POLL,
  });
  return <ServerReach disconnected={offline && reached === false}>{children}</ServerReach>;
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

/** The number of this window, among all windows of its user. */
export const WINDOW = 1 + Math.floor(Math.random() * (2 ** 31 - 2));

/** The people who have a schedule open, with this window's user. */
interface People {
  people: readonly Schemas['LivePerson'][];
  /** How many more there are. */
  more: number;
}
const NOBODY: People = { people: [], more: 0 };

/**
 * Tells that this window has a schedule open, with what it does there, and returns all who have. `presence` must be the
 * same object while nothing in it changes. Without the live connection nobody is known.
 */
export function usePresence(schedule: string, presence: Presence): People {
  const socket = useLive();
  const [people, setPeople] = useState(NOBODY);
  const joined = useRef<Joined>(undefined);
  const latest = useRef(presence);
  useEffect(() => {
    latest.current = presence;
    joined.current?.present(presence);
  }, [presence]);
  useEffect(() => {
    const here = socket.join(schedule, WINDOW, latest.current, (frame) => {
      setPeople({ people: frame.people ?? [], more: frame.morePeople ?? 0 });
    });
    joined.current = here;
    return () => {
      here.leave();
      joined.current = undefined;
      setPeople(NOBODY);
    };
  }, [socket, schedule]);
  return useLiveStatus() === 'live' ? people : NOBODY;
}

interface LiveBatchState {
  store: RunStore;
  /** Why there is no batch to show. */
  error: unknown;
  /** The server no longer has the batch that is shown. */
  deleted: boolean;
  retry: () => void;
}

/**
 * The current state of a batch: read once, then updated by its live topic, or by regular reads without the live
 * connection. `error` is the reason if the batch could not be read at all.
 */
export function useLiveBatch(id: number): LiveBatchState {
  const client = useQueryClient();
  const socket = useLive();
  const live = useMemo(() => new LiveBatch(id, client), [id, client]);
  useEffect(() => live.start(socket), [live, socket]);
  useTopic({ topic: 'batch', batch: id }, live.applyFrame);
  const error = useSyncExternalStore(live.subscribe, live.getError);
  const deleted = useSyncExternalStore(live.subscribe, live.isDeleted);
  return { store: live.store, error, deleted, retry: live.read };
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

const snapshotOf = (store: RunStore) => ({ store, batch: store.getBatch(), runs: store.getRuns() });

/** Milliseconds between two renderings of what looks at all runs: at least these, and more for thousands of runs. */
const RUNS_INTERVAL = 250;
const intervalOf = (runs: readonly TaskRun[]) => Math.max(RUNS_INTERVAL, runs.length / 10);

/**
 * All runs by number. After a change, the next ones are gathered for a moment, because what looks at all runs may take
 * longer than a frame. With each change of the batch itself, the runs are up to date.
 */
export function useThrottledRuns(store: RunStore): readonly TaskRun[] {
  const [shown, setShown] = useState(() => snapshotOf(store));
  if (shown.store !== store || shown.batch !== store.getBatch()) setShown(snapshotOf(store));
  useEffect(() => {
    let updated = 0;
    const update = () => {
      timer = undefined;
      updated = Date.now();
      setShown((before) => (before.store === store && before.runs === store.getRuns() ? before : snapshotOf(store)));
    };
    let timer: ReturnType<typeof setTimeout> | undefined = setTimeout(update); // runs may have changed since the render
    const stop = store.subscribe(() => {
      const left = updated + intervalOf(store.getRuns()) - Date.now();
      if (left <= 0 && timer === undefined) update();
      else timer ??= setTimeout(update, left);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [store]);
  return shown.runs;
}

/** The keys of all tasks by number. */
export function useTaskKeys(store: RunStore): readonly string[] {
  return useSyncExternalStore(store.subscribe, store.getKeys);
}

/** All runs by number. The component renders again with every change. */
export function useRuns(store: RunStore) {
  return useSyncExternalStore(store.subscribe, store.getRuns);
}
