import { useThrottledCallback } from '@mantine/hooks';
import {
  type InfiniteData,
  type QueryClient,
  useInfiniteQuery,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { api, data, type Schemas } from '@/api/client';
import { keys, renewShown, scheduleQuery } from '@/api/queries';
import { usePollInterval, useTopic } from '@/live';
import { toast, useOnceDecided } from '@/ui';
import { problemText } from '@/api/problem';
import { type Schedule, withBatches } from './rows';

type Pages = InfiniteData<Schemas['ScheduleList'], string | undefined>;
type Summary = Schemas['BatchSummary'];

const PAGE = 100;
/** Poll interval in milliseconds with the live connection, which does not report saved schedules. */
const LIVE_POLL = 30_000;
/** Minimum milliseconds between two requests after live changes. */
const MIN_INTERVAL = 1_000;
/** All pages are read again together, so a long list is read less often: a page in this many milliseconds. */
const PAGE_PAUSE = 3_000;
const pause = (list: Pages | undefined) => (list?.pages.length ?? 0) * PAGE_PAUSE;

/**
 * All schedules. All pages are loaded one after another. A live change of a batch updates the row of its schedule;
 * without the live connection, the list is polled. `onChange` is called after live changes of batches.
 */
export function useSchedules(onChange: () => void) {
  const client = useQueryClient();
  const refetchInterval = usePollInterval(LIVE_POLL);
  const query = useInfiniteQuery({
    queryKey: keys.schedules,
    queryFn: ({ pageParam, signal }) =>
      data(api.GET('/api/v1/schedules', { params: { query: { after: pageParam, limit: PAGE } }, signal })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next,
    staleTime: ({ state }) => Math.max(LIVE_POLL, pause(state.data)),
    refetchInterval: ({ state }) => refetchInterval && Math.max(refetchInterval, pause(state.data)),
  });
  const { hasNextPage, isFetching, isError, fetchNextPage } = query;
  useEffect(() => {
    if (hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [hasNextPage, isFetching, isError, fetchNextPage]);

  const renewOverview = useThrottledCallback(() => {
    renewShown(client, { queryKey: keys.overview });
  }, MIN_INTERVAL);
  const renewRows = useThrottledCallback(() => {
    renewShown(client, { queryKey: keys.schedules, exact: true });
  }, MIN_INTERVAL);
  const applyChanges = useChanges(client, isFetching);
  const followed = useRef(false);
  useTopic({ topic: 'batches' }, (frame) => {
    const changes = frame.batches ?? [];
    applyChanges(changes);
    if (changes.some((b) => b.schedule !== '' && !isListed(client, b.schedule))) renewRows();
    // A snapshot after the first one follows a gap, in which batches may have ended.
    if (frame.op === 'snapshot' && followed.current) void client.invalidateQueries({ queryKey: keys.schedules });
    if (frame.op === 'snapshot') followed.current = true;
    renewOverview();
    onChange();
  });

  const rows = useMemo(() => query.data?.pages.flatMap((p) => p.items) ?? [], [query.data]);
  return { rows, query };
}

/** Minimum milliseconds between two updates of the rows: there may be ten thousand, which are sorted each time. */
const ROWS_INTERVAL = 250;

/** Returns a function that applies changes of batches to the rows: the first ones at once, the next ones together. */
function useChanges(client: QueryClient, isFetching: boolean): (changes: readonly Summary[]) => void {
  const gathered = useRef<Summary[]>([]);
  // To read all pages takes seconds. The answer of the first page may be older than a change that arrives meanwhile.
  const meanwhile = useRef(new Map<number, Summary>());
  const apply = useThrottledCallback(() => {
    changeRows(client, gathered.current.splice(0));
  }, ROWS_INTERVAL);
  useEffect(() => {
    if (isFetching || meanwhile.current.size === 0) return;
    changeRows(client, [...meanwhile.current.values()]);
    meanwhile.current.clear();
  }, [client, isFetching]);
  return (changes) => {
    if (changes.length === 0) return;
    if (client.isFetching({ queryKey: keys.schedules, exact: true }) > 0)
      for (const b of changes) meanwhile.current.set(b.id, b);
    gathered.current.push(...changes);
    apply();
  };
}

/** Applies changes of batches to the rows of their schedules. */
function changeRows(client: QueryClient, changes: readonly Summary[]): void {
  const changed = new Set(changes.map((b) => b.schedule));
  updateRows(client, (s) => (changed.has(s.name) ? withBatches(s, changes) : s));
}

/** Whether the list contains a schedule, or is not fully loaded. */
function isListed(client: QueryClient, name: string): boolean {
  const list = client.getQueryData<Pages>(keys.schedules);
  return (
    !list || list.pages.at(-1)?.next !== undefined || list.pages.some((page) => page.items.some((s) => s.name === name))
  );
}

/** Updates the rows of the list in the cache. Unchanged rows remain the same object. */
function updateRows(client: QueryClient, update: (s: Schedule) => Schedule): void {
  client.setQueryData<Pages>(keys.schedules, (old) => {
    if (!old) return old;
    let changed = false;
    const pages = old.pages.map((page) => {
      const items = page.items.map(update);
      if (items.every((s, i) => s === page.items[i])) return page;
      changed = true;
      return { ...page, items };
    });
    return changed ? { ...old, pages } : old;
  });
}

/** Loads the next moments of a schedule after the moment that its row shows has passed. */
export function useFreshNext(schedule: Schedule): void {
  const client = useQueryClient();
  const { name } = schedule;
  const load = useCallback(() => {
    client.fetchQuery({ ...scheduleQuery(name), staleTime: 0, retry: false }).then(
      (fresh) => {
        const { nextAt, finished, enabled } = fresh;
        updateRows(client, (s) => (s.name === name ? { ...s, nextAt, finished, enabled } : s));
      },
      () => undefined, // the header shows that the server is out of reach
    );
  }, [client, name]);
  useOnceDecided(schedule.enabled ? schedule.nextAt?.[0] : undefined, load);
}

interface EnabledChange {
  name: string;
  enabled: boolean;
}

/** Enables or disables a schedule. The list shows the change at once, and reverts it if the server refuses. */
export function useSetEnabled() {
  const { t } = useTranslation('schedules');
  const { t: problems } = useTranslation('problems');
  const client = useQueryClient();
  const applyChange = ({ name, enabled }: EnabledChange) => {
    updateRows(client, (s) => (s.name === name ? { ...s, enabled } : s));
  };
  return useMutation({
    mutationFn: ({ name, enabled }: EnabledChange) =>
      data(api.PUT('/api/v1/schedules/{name}/enabled', { params: { path: { name } }, body: { enabled } })),
    onMutate: applyChange,
    onSuccess: (_, { name, enabled }) => {
      toast(t(enabled ? 'toast.enabled' : 'toast.disabled', { name }));
    },
    onError: (error, { name, enabled }) => {
      applyChange({ name, enabled: !enabled });
      const { title, detail } = problemText(error, problems);
      toast(`${title}. ${detail}`, { error: true });
    },
    onSettled: (_, __, { name }) => client.invalidateQueries({ queryKey: keys.schedule(name) }),
  });
}
