import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { api, data, type Schemas } from '@/api/client';
import { keys } from '@/api/queries';
import { type Batch, usePollInterval } from '@/live';
import type { BatchCommand } from './events';

const NO_COMMANDS: BatchCommand[] = [];
const NO_REVISIONS: Schemas['Revision'][] = [];

/** Commands that one request loads. */
const PAGE = 200;

/** Poll interval in milliseconds: the live connection does not report commands. */
const POLL = 15_000;

interface BatchHistory {
  /** All commands of the batch. */
  commands: readonly BatchCommand[];
  /** All revisions of its schedule. */
  revisions: readonly Schemas['Revision'][];
  /** Who is on the problems of the batch. */
  taker?: Schemas['Taker'];
  /** Why the commands cannot be loaded. */
  error: unknown;
  retry: () => void;
}

/** Loads what people did to a batch. It loads again whenever the state of the batch changes. */
export function useHistory(batch: Batch): BatchHistory {
  const { id, schedule, state, round, wish, closedNote } = batch;
  const refetchInterval = usePollInterval(POLL);
  const commands = useInfiniteQuery({
    queryKey: [...keys.batch(id), 'commands', state, round, wish, closedNote],
    queryFn: ({ pageParam }) =>
      data(
        api.GET('/api/v1/batches/{id}/commands', {
          params: { path: { id }, query: { limit: PAGE, before: pageParam } },
        }),
      ),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: (page) => page.next,
    placeholderData: (former) => former,
    refetchInterval,
  });
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = commands;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  const revisions = useQuery({
    queryKey: [...keys.schedule(schedule), 'revisions', 'all'],
    queryFn: () => data(api.GET('/api/v1/schedules/{name}/revisions', { params: { path: { name: schedule } } })),
    enabled: schedule !== '',
  });
  const alerts = useQuery({
    queryKey: [...keys.alerts, 'batch', id, 'all'],
    queryFn: () => data(api.GET('/api/v1/alerts', { params: { query: { batch: id } } })),
    refetchInterval,
  });
  return {
    commands: commands.data?.pages.flatMap((page) => page.items) ?? NO_COMMANDS,
    revisions: revisions.data?.items ?? NO_REVISIONS,
    taker: alerts.data?.items.find((alert) => alert.taker)?.taker,
    error: commands.error,
    retry: () => void commands.refetch(),
  };
}
