import { useQuery } from '@tanstack/react-query';
import { api, data } from '@/api/client';
import { keys } from '@/api/queries';
import type { UsualRun } from '@/ui';

const NONE: ReadonlyMap<string, UsualRun> = new Map();

/**
 * The usual runs of the tasks by key, empty until they are known. They depend only on the batches before this one, so
 * all views share one request.
 */
export function useUsualRuns(batch: number): ReadonlyMap<string, UsualRun> {
  const { data: usual } = useQuery({
    queryKey: [...keys.batch(batch), 'usual-runs'],
    queryFn: async () => {
      const { items } = await data(api.GET('/api/v1/batches/{id}/usual-runs', { params: { path: { id: batch } } }));
      return new Map(items.map(({ task, ...usually }) => [task, usually]));
    },
    staleTime: Infinity,
  });
  return usual ?? NONE;
}
