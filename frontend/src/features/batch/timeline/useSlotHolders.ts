import { useQuery } from '@tanstack/react-query';
import { api, data } from '@/api/client';
import { keys } from '@/api/queries';
import type { Wait } from './waits';

/** A wait that goes on is asked for again after so many milliseconds. */
const REFRESH_EVERY = 10_000;
/** A shorter wait (milliseconds) is not worth a question. */
const LEAST = 1;

/** The other batches that had the slots while a task waited. The server looks for them. */
export function useSlotHolders(batch: number, task: string, wait: Wait) {
  const { from, to } = wait;
  const open = to === undefined;
  return useQuery({
    queryKey: [...keys.batch(batch), 'slot-holders', task, from, to ?? 0],
    queryFn: ({ signal }) =>
      data(
        api.GET('/api/v1/batches/{id}/tasks/{task}/slot-holders', {
          params: {
            path: { id: batch, task },
            query: { from: new Date(from).toISOString(), to: open ? undefined : new Date(to).toISOString() },
          },
          signal,
        }),
      ),
    enabled: open || to - from >= LEAST,
    staleTime: open ? REFRESH_EVERY : Infinity,
    refetchInterval: open ? REFRESH_EVERY : false,
  });
}
