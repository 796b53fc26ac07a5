import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useRef, useState } from 'react';
import { api, data, type Schemas } from '@/api/client';
import { keys } from '@/api/queries';
import { useLiveStatus, useTopic } from '@/live';
import { serverNow } from '@/ui';
import { apply, type Batch } from './list';
import { type BatchesSearch, SINCE, type Since, statesOf } from './search';

type Pages = InfiniteData<Schemas['BatchList'], number | undefined>;

const PAGE = 50;
const POLL = 5_000;

/**
 * Batches by a filter, newest first, page by page, with live changes. `waiting` holds new batches that are not shown
 * yet.
 */
export function useBatches(filter: BatchesSearch, atTop: () => boolean) {
  const client = useQueryClient();
  const offline = useLiveStatus() === 'offline';
  const { schedule, state, kind, since } = filter;
  const key = useMemo(() => [...keys.batches, { schedule, state, kind, since }], [schedule, state, kind, since]);
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) =>
      data(
        api.GET('/api/v1/batches', {
          params: {
            query: {
              schedule,
              kind,
              state: state === undefined ? undefined : statesOf(state),
              from: since && from(since),
              before: pageParam,
              limit: PAGE,
            },
          },
          querySerializer: { array: { style: 'form', explode: false } },
          signal,
        }),
      ),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: (page) => page.next,
    staleTime: 10_000,
    refetchInterval: offline ? POLL : false,
  });
  const [held, setHeld] = useState<{ key: readonly unknown[]; items: Batch[] }>({ key, items: [] });
  const waiting = useMemo(() => (held.key === key ? held.items : []), [held, key]);

  const change = useCallback(
    (changes: readonly Batch[], top: boolean) => {
      const old = client.getQueryData<Pages>(key);
      if (!old) return;
      const shown = old.pages.flatMap((p) => p.items);
      const now = apply({ shown, waiting }, changes, { schedule, state, kind, since }, top);
      client.setQueryData<Pages>(key, spread(old, now.shown));
      setHeld({ key, items: now.waiting });
    },
    [client, key, waiting, schedule, state, kind, since],
  );

  const followed = useRef(false);
  useTopic({ topic: 'batches' }, (frame) => {
    if (frame.batches?.length) change(frame.batches, atTop());
    // A snapshot after the first one tells of a gap, in which batches may have come and gone.
    if (frame.op === 'snapshot' && followed.current) void client.invalidateQueries({ queryKey: keys.batches });
    if (frame.op === 'snapshot') followed.current = true;
  });
  const rows = useMemo(() => query.data?.pages.flatMap((p) => p.items) ?? [], [query.data]);
  return {
    rows,
    waiting,
    query,
    showWaiting: () => {
      change([], true);
    },
  };
}

function from(since: Since): string {
  return new Date(serverNow() - SINCE[since]).toISOString();
}

/** Puts a changed list back into its pages: what was added is on the first one, what left is missing where it stood. */
function spread(pages: Pages, shown: readonly Batch[]): Pages {
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
