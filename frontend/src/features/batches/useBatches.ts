import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { api, data, type Schemas } from '@/api/client';
import { keys } from '@/api/queries';
import { usePollInterval, useTopic } from '@/live';
import { serverNow } from '@/ui';
import { applyChanges, type Batch } from './list';
import { type BatchesSearch, SINCE, type Since, statesOf } from './search';

type Pages = InfiniteData<Schemas['BatchList'], number | undefined>;

const PAGE_SIZE = 50;

/** The pages of batches that match a filter, newest first, with live changes. `waiting`: new batches, not shown yet. */
export function useBatches(filter: BatchesSearch, atTop: () => boolean) {
  const client = useQueryClient();
  const refetchInterval = usePollInterval();
  const { schedule, state, kind, backfill, since } = filter;
  const key = useMemo(
    () => [...keys.batches, { schedule, state, kind, backfill, since }],
    [schedule, state, kind, backfill, since],
  );
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) =>
      data(
        api.GET('/api/v1/batches', {
          params: {
            query: {
              schedule,
              kind,
              backfill,
              state: state === undefined ? undefined : statesOf(state),
              from: since && startOf(since),
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
  const [unshown, setUnshown] = useState<{ key: readonly unknown[]; items: Batch[] }>({ key, items: [] });
  const waiting = useMemo(() => (unshown.key === key ? unshown.items : []), [unshown, key]);

  const update = useCallback(
    (changes: readonly Batch[], top: boolean) => {
      const old = client.getQueryData<Pages>(key);
      if (!old) return;
      const lists = applyChanges({ shown: old.pages.flatMap((p) => p.items), waiting }, changes, {
        filter: { schedule, state, kind, backfill, since },
        atTop: top,
        complete: old.pages.at(-1)?.next === undefined,
        now: serverNow(),
      });
      client.setQueryData<Pages>(key, intoPages(old, lists.shown));
      setUnshown({ key, items: lists.waiting });
    },
    [client, key, waiting, schedule, state, kind, backfill, since],
  );

  // A response replaces the list, and may be older than a change that arrives before it.
  const early = useRef<Batch[]>([]);
  const { isFetching, dataUpdatedAt } = query;
  useEffect(() => {
    if (isFetching || early.current.length === 0) return;
    update(early.current, atTop());
    early.current = [];
  }, [isFetching, dataUpdatedAt, update, atTop]);

  const followed = useRef(false);
  useTopic({ topic: 'batches' }, (frame) => {
    const changes = frame.batches ?? [];
    if (client.isFetching({ queryKey: key, exact: true }) > 0) early.current.push(...changes);
    if (changes.length > 0) update(changes, atTop());
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

function startOf(since: Since): string {
  return new Date(serverNow() - SINCE[since]).toISOString();
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
