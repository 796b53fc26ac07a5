import { useThrottledCallback } from '@mantine/hooks';
import { type InfiniteData, type QueryClient, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef } from 'react';
import { api, data, type Schemas } from '@/api/client';
import { keys, scheduleQuery } from '@/api/queries';
import { useLiveStatus, useTopic } from '@/live';
import { serverNow } from '@/ui';
import { type Schedule, withBatches } from './rows';

type Pages = InfiniteData<Schemas['ScheduleList'], string | undefined>;

const PAGE = 100;
/** How often to ask while the live connection is gone, and how often the numbers may be asked for while it is there. */
const POLL = 5_000;
const OVERVIEW_EVERY = 1_000;
/** How often to ask while all is well: what is saved elsewhere is not told live. */
const CALM = 30_000;

/**
 * All schedules, page after page, kept by the live topic: a change of a batch changes the row of its schedule. Without
 * the connection they are asked for again and again.
 */
export function useSchedules() {
  const client = useQueryClient();
  const offline = useLiveStatus() === 'offline';
  const query = useInfiniteQuery({
    queryKey: keys.schedules,
    queryFn: ({ pageParam, signal }) =>
      data(api.GET('/api/v1/schedules', { params: { query: { after: pageParam, limit: PAGE } }, signal })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next,
    staleTime: 30_000,
    refetchInterval: offline ? POLL : CALM,
  });
  const { hasNextPage, isFetching, isError, fetchNextPage } = query;
  useEffect(() => {
    if (hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [hasNextPage, isFetching, isError, fetchNextPage]);

  const renewOverview = useThrottledCallback(
    () => void client.invalidateQueries({ queryKey: keys.overview }),
    OVERVIEW_EVERY,
  );
  const renewRows = useThrottledCallback(
    () => void client.invalidateQueries({ queryKey: keys.schedules, exact: true }),
    OVERVIEW_EVERY,
  );
  const followed = useRef(false);
  useTopic({ topic: 'batches' }, (frame) => {
    const changes = frame.batches ?? [];
    if (changes.length > 0) change(client, (s) => withBatches(s, changes));
    if (changes.some((b) => b.schedule !== '' && !known(client, b.schedule))) renewRows();
    // A snapshot after the first one tells of a gap, in which batches may have ended that it does not name.
    if (frame.op === 'snapshot' && followed.current) void client.invalidateQueries({ queryKey: keys.schedules });
    if (frame.op === 'snapshot') followed.current = true;
    renewOverview();
  });

  const rows = useMemo(() => query.data?.pages.flatMap((p) => p.items) ?? [], [query.data]);
  return { rows, query };
}

/** Whether the list has a schedule, as far as it has been read. */
function known(client: QueryClient, name: string): boolean {
  const read = client.getQueryData<Pages>(keys.schedules);
  return (
    !read || read.pages.at(-1)?.next !== undefined || read.pages.some((page) => page.items.some((s) => s.name === name))
  );
}

/** Changes the rows of the list in the cache; those that stay the same stay the same object. */
export function change(client: QueryClient, by: (s: Schedule) => Schedule): void {
  client.setQueryData<Pages>(keys.schedules, (old) => {
    if (!old) return old;
    let changed = false;
    const pages = old.pages.map((page) => {
      const items = page.items.map(by);
      if (items.every((s, i) => s === page.items[i])) return page;
      changed = true;
      return { ...page, items };
    });
    return changed ? { ...old, pages } : old;
  });
}

/** The server decides a tick a moment after it is due. */
const DECIDED = 1_500;
/** Timers count in 32 bits; what is due later is read anew with the page. */
const LONGEST_TIMER = 2_000_000_000;

/** Asks for the next moments of a schedule once the one that its row shows has passed. */
export function useFreshNext(schedule: Schedule): void {
  const client = useQueryClient();
  const { name, enabled } = schedule;
  const next = schedule.nextAt?.[0];
  useEffect(() => {
    if (!enabled || !next) return undefined;
    const wait = Math.max(0, new Date(next).getTime() - serverNow()) + DECIDED;
    if (wait > LONGEST_TIMER) return undefined;
    const timer = setTimeout(() => {
      client.fetchQuery({ ...scheduleQuery(name), staleTime: 0, retry: false }).then(
        (fresh) => {
          change(client, (s) => (s.name === name ? { ...s, nextAt: fresh.nextAt, enabled: fresh.enabled } : s));
        },
        () => undefined, // the page says elsewhere that the server is gone
      );
    }, wait);
    return () => {
      clearTimeout(timer);
    };
  }, [client, name, enabled, next]);
}
