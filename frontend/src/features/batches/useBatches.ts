import { useThrottledCallback } from '@mantine/hooks';
import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { api, data, type Schemas } from '@/api/client';
import { keys, renewShown } from '@/api/queries';
import { usePollInterval, useTopic } from '@/live';
import { serverNow } from '@/ui';
import { applyChanges, type Batch, isDecidable } from './list';
import { queryOf } from './query';
import { type BatchesSearch, statesOf } from './search';

type Pages = InfiniteData<Schemas['BatchList'], number | undefined>;

/** New batches that are not shown yet, of one filter. */
interface Unshown {
  key: readonly unknown[];
  items: readonly Batch[];
}

const NONE: readonly Batch[] = [];

const PAGE_SIZE = 50;
/** While somebody is at the top, the list keeps this many batches. */
const MOST_SHOWN = 500;
/** Minimum milliseconds between two requests for batches that only the server can select. */
const MIN_INTERVAL = 3_000;

/** The pages of batches that match a filter, newest first, with live changes. `waiting`: new batches, not shown yet. */
export function useBatches(search: BatchesSearch, atTop: () => boolean, zone?: string) {
  const client = useQueryClient();
  const refetchInterval = usePollInterval();
  const text = JSON.stringify(search); // the search is another object in each render
  const filter = useMemo(() => JSON.parse(text) as BatchesSearch, [text]);
  const key = useMemo(() => [...keys.batches, filter, zone], [filter, zone]);
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) =>
      data(
        api.GET('/api/v1/batches', {
          params: {
            query: {
              ...queryOf(filter, serverNow(), zone),
              state: filter.state === undefined ? undefined : statesOf(filter.state),
              before: pageParam,
              limit: PAGE_SIZE,
            },
          },
          querySerializer: { array: { style: 'form', explode: false } },
          signal,
        }),
      ),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: (page) => page.next,
    staleTime: 10_000,
    refetchInterval,
  });
  const [unshown, setUnshown] = useState<Unshown>({ key, items: [] });
  const waiting = unshown.key === key ? unshown.items : NONE;
  // Two frames may arrive before React renders the first one.
  const latest = useRef(unshown);

  const update = useCallback(
    (changes: readonly Batch[], top: boolean) => {
      const old = client.getQueryData<Pages>(key);
      if (!old) return;
      const waiting = latest.current.key === key ? latest.current.items : NONE;
      const lists = applyChanges({ shown: old.pages.flatMap((p) => p.items), waiting }, changes, {
        filter,
        atTop: top,
        complete: old.pages.at(-1)?.next === undefined,
        now: serverNow(),
        zone,
      });
      client.setQueryData<Pages>(key, top ? cutPages(intoPages(old, lists.shown)) : intoPages(old, lists.shown));
      latest.current = { key, items: lists.waiting };
      setUnshown(latest.current);
    },
    [client, key, filter, zone],
  );

  // A response replaces the list, and may be older than a change that arrives before it.
  const early = useRef<Batch[]>([]);
  const { isFetching, dataUpdatedAt } = query;
  useEffect(() => {
    if (isFetching || early.current.length === 0) return;
    update(early.current, atTop());
    early.current = [];
  }, [isFetching, dataUpdatedAt, update, atTop]);

  const refetch = useThrottledCallback(() => {
    renewShown(client, { queryKey: key, exact: true });
  }, MIN_INTERVAL);
  const renewOverview = useThrottledCallback(() => {
    renewShown(client, { queryKey: keys.overview });
  }, MIN_INTERVAL);
  const followed = useRef(false);
  useTopic({ topic: 'batches' }, (frame) => {
    const changes = frame.batches ?? [];
    if (client.isFetching({ queryKey: key, exact: true }) > 0) early.current.push(...changes);
    if (changes.length > 0) {
      update(changes, atTop());
      renewOverview();
    }
    if (changes.length > 0 && frame.op === 'delta' && !isDecidable(filter) && atTop()) refetch();
    // A snapshot after the first one follows a gap, in which batches may have been added or removed.
    if (frame.op === 'snapshot' && followed.current) void client.invalidateQueries({ queryKey: keys.batches });
    if (frame.op === 'snapshot') followed.current = true;
  });
  const rows = useMemo(() => query.data?.pages.flatMap((p) => p.items) ?? [], [query.data]);
  return {
    rows,
    waiting,
    query,
    showWaiting: () => {
      update([], true);
    },
  };
}

/**
 * The first batches of a list, in one page. A list that is open all day would get ever more batches. Those that are cut
 * off are loaded again when somebody scrolls down to them.
 */
export function cutPages(pages: Pages, most = MOST_SHOWN): Pages {
  const [first] = pages.pages;
  const all = pages.pages.flatMap((page) => page.items);
  if (!first || all.length <= most) return pages;
  const items = all.slice(0, most);
  return { pages: [{ ...first, items, next: items.at(-1)?.id }], pageParams: [undefined] };
}

/** Splits a changed list into the pages of the cache. New batches are on the first page. */
function intoPages(pages: Pages, shown: readonly Batch[]): Pages {
  const lastOf = pages.pages.map((p) => p.items.at(-1)?.id ?? Infinity);
  let from = 0;
  return {
    ...pages,
    pages: pages.pages.map((page, i) => {
      const rest = shown.slice(from);
      const cut = i === pages.pages.length - 1 ? rest.length : rest.findIndex((b) => b.id < (lastOf[i] ?? 0));
      const items = rest.slice(0, cut < 0 ? rest.length : cut);
      from += items.length;
      return { ...page, items };
    }),
  };
}
