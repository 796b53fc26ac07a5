import { useDebouncedValue, useThrottledCallback } from '@mantine/hooks';
import {
  type InfiniteData,
  keepPreviousData,
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
import { mayMoveRow, type Schedule, withBatches } from './rows';
import type { SchedulesSearch } from './search';

type Pages = InfiniteData<Schemas['ScheduleList'], string | undefined>;
type Summary = Schemas['BatchSummary'];

/** The schedules that are read at once. */
const PAGE = 50;
/** Poll interval in milliseconds with the live connection, which does not report saved schedules. */
const LIVE_POLL = 30_000;
/** Minimum milliseconds between two requests for the overview after live changes. */
const MIN_INTERVAL = 1_000;
/** The loaded pages are read again together, so a long list is read less often: a page in this many milliseconds. */
const PAGE_PAUSE = 3_000;
const pause = (list: { pages: readonly unknown[] } | undefined) => (list?.pages.length ?? 0) * PAGE_PAUSE;
/**
 * Minimum milliseconds between two reads of an unfiltered list because schedules that it does not show may enter it: a
 * busy server has such changes all the time. Moves of its own rows, and changes of a filtered list, are read sooner.
 */
const MOVE_PAUSE = 10_000;
/** Milliseconds after the last letter until the server searches. */
const SEARCH_DELAY = 150;
/** The beginning of the keys of all lists: each search has one. */
const LISTS = [...keys.schedules, 'list'] as const;

/**
 * The schedules that match a search, in its order. The server searches and sorts; the next page is loaded on demand. A
 * live change of a batch updates the row of its schedule; without the live connection, the list is polled. `onChange`
 * is called after live changes of batches.
 */
export function useSchedules(search: SchedulesSearch, onChange: () => void) {
  const client = useQueryClient();
  const refetchInterval = usePollInterval(LIVE_POLL);
  const [q] = useDebouncedValue(search.q?.trim() ?? '', SEARCH_DELAY);
  const { show, tag, owner, sort, desc } = search;
  const key = useMemo(() => [...LISTS, { q, show, tag, owner, sort, desc }], [q, show, tag, owner, sort, desc]);
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) =>
      data(
        api.GET('/api/v1/schedules', {
          params: {
            query: {
              find: q === '' ? undefined : q.slice(0, MAX_SEARCH),
              show: show === 'archived' ? undefined : show,
              tag,
              owner,
              sort: sort ?? 'need',
              desc,
              after: pageParam,
              limit: PAGE,
            },
          },
          signal,
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
    gcTime: 60_000,
    staleTime: ({ state }) => Math.max(LIVE_POLL, pause(state.data)),
    refetchInterval: ({ state }) => refetchInterval && Math.max(refetchInterval, pause(state.data)),
  });
  const { isFetching, isFetchingNextPage } = query;
  // A read for a live change would end that of the next page: it waits for the page.
  const next = useRef({ loads: false, readAfter: false });
  const read = useCallback(() => {
    if (next.current.loads) next.current.readAfter = true;
    else renewShown(client, { queryKey: key, exact: true });
  }, [client, key]);
  useEffect(() => {
    const { readAfter } = next.current;
    next.current = { loads: isFetchingNextPage, readAfter: isFetchingNextPage && readAfter };
    if (readAfter && !isFetchingNextPage) read();
  }, [isFetchingNextPage, read]);

  const renewOverview = useThrottledCallback(() => {
    renewShown(client, { queryKey: keys.overview });
  }, MIN_INTERVAL);
  const renewRows = useThrottledCallback(
    read,
    Math.max(search.show === undefined ? MOVE_PAUSE : PAGE_PAUSE, pause(query.data)),
  );
  const renewOrder = useThrottledCallback(read, Math.max(PAGE_PAUSE, pause(query.data)));
  const applyChanges = useChanges(client, isFetching);
  const followed = useRef(false);
  useTopic({ topic: 'batches' }, (frame) => {
    const changes = frame.batches ?? [];
    // Before the rows have the changes.
    const moves = frame.op === 'delta' ? movesOf(client.getQueryData<Pages>(key), search, changes) : undefined;
    applyChanges(changes);
    if (moves === 'shown') renewOrder();
    else if (moves === 'others') renewRows();
    // A snapshot after the first one follows a gap, in which batches may have ended.
    if (frame.op === 'snapshot' && followed.current) void client.invalidateQueries({ queryKey: LISTS });
    if (frame.op === 'snapshot') followed.current = true;
    renewOverview();
    onChange();
  });

  // A schedule that moved between two requests may be on two pages.
  const rows = useMemo(
    () => [...new Map(query.data?.pages.flatMap((p) => p.items).map((s) => [s.name, s])).values()],
    [query.data],
  );
  const first = query.data?.pages[0];
  return { rows, count: first?.count ?? rows.length, total: first?.total ?? rows.length, query };
}

/** How many characters of a search the server takes. */
const MAX_SEARCH = 200;

/** What changes of batches may move: rows of the list in its order, or others into the list or out of it. */
function movesOf(list: Pages | undefined, search: SchedulesSearch, changes: readonly Summary[]) {
  if (!list) return undefined;
  const rows = new Map(list.pages.flatMap((page) => page.items).map((s) => [s.name, s]));
  const ofSchedules = changes.filter((b) => b.schedule !== '');
  const isMoved = (b: Summary) => {
    const row = rows.get(b.schedule);
    return row !== undefined && mayMoveRow(row, b);
  };
  if (search.show === undefined && search.sort === undefined && ofSchedules.some(isMoved)) return 'shown';
  return ofSchedules.some((b) => mayEnter(list, search, rows.has(b.schedule))) ? 'others' : undefined;
}

/**
 * Whether a change of a batch may change which schedules the list has: one that it does not show may come to its top,
 * or match its filter now, and one that it shows may not match any more.
 */
function mayEnter(list: Pages, { show, sort, q, tag, owner }: SchedulesSearch, isShown: boolean): boolean {
  if (show !== undefined) return true;
  if (isShown) return false;
  const isWhole = list.pages.at(-1)?.next === undefined && [q, tag, owner].every((v) => v === undefined);
  return isWhole || sort === undefined;
}

/** Minimum milliseconds between two updates of the rows: a busy server sends many changes a second. */
const ROWS_INTERVAL = 250;

/** Returns a function that applies changes of batches to the rows: the first ones at once, the next ones together. */
function useChanges(client: QueryClient, isFetching: boolean): (changes: readonly Summary[]) => void {
  const gathered = useRef<Summary[]>([]);
  // The answer of a page may be older than a change that arrives while the pages are read.
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
    if (client.isFetching({ queryKey: LISTS }) > 0) for (const b of changes) meanwhile.current.set(b.id, b);
    gathered.current.push(...changes);
    apply();
  };
}

/** Applies changes of batches to the rows of their schedules. */
function changeRows(client: QueryClient, changes: readonly Summary[]): void {
  const changed = new Set(changes.map((b) => b.schedule));
  updateRows(client, (s) => (changed.has(s.name) ? withBatches(s, changes) : s));
}

/** Updates the rows of the lists in the cache. Unchanged rows remain the same object. */
function updateRows(client: QueryClient, update: (s: Schedule) => Schedule): void {
  client.setQueriesData<Pages>({ queryKey: LISTS }, (old) => {
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
    onSettled: (_, __, { name }) =>
      Promise.all([keys.schedule(name), LISTS].map((queryKey) => client.invalidateQueries({ queryKey }))),
  });
}
