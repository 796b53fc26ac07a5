import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, data, type Schemas } from '@/api/client';
import { keys } from '@/api/queries';
import { usePollInterval } from '@/live';
import { momentsOf } from '@/ui/Days';
import { mayChange } from './progress';
import type { BackfillsSearch } from './search';

/** Milliseconds between two requests while a backfill may change. */
const POLL = 2_000;

/** The backfills that a filter selects, newest first. Its days begin in a zone, undefined while it is not known. */
export function useBackfills({ schedule, by, from, to }: BackfillsSearch, zone: string | undefined) {
  const offline = usePollInterval(POLL);
  const { from: since, to: until } = momentsOf({ from, to }, zone ?? 'UTC');
  return useQuery({
    queryKey: [...keys.backfills, { schedule, by, since, until }],
    enabled: zone !== undefined || (from === undefined && to === undefined),
    queryFn: () =>
      data(api.GET('/api/v1/backfills', { params: { query: { schedule, by, since, until, limit: 100 } } })),
    refetchInterval: (query) => (query.state.data?.items.some(mayChange) ? offline : false),
  });
}

/** One backfill. */
export function useBackfill(id: number) {
  const offline = usePollInterval(POLL);
  return useQuery({
    queryKey: [...keys.backfills, id],
    queryFn: () => data(api.GET('/api/v1/backfills/{id}', { params: { path: { id } } })),
    refetchInterval: (query) => (query.state.data === undefined || mayChange(query.state.data) ? offline : false),
  });
}

/** Pauses, continues or cancels a backfill. */
export function useWish(id: number) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (wish: Schemas['Wish']) =>
      data(api.PUT('/api/v1/backfills/{id}/wish', { params: { path: { id } }, body: { wish } })),
    onSettled: () => {
      refresh(queries);
    },
  });
}

/** Reads everything again that a change of a backfill changes. */
export function refresh(queries: QueryClient): void {
  for (const queryKey of [keys.backfills, keys.batches, keys.schedules, keys.overview])
    void queries.invalidateQueries({ queryKey });
}
