import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ApiError, api, data, type Schemas } from '@/api/client';
import { keys } from '@/api/queries';
import { batchNumber } from './items';

/** Milliseconds after the last letter until the server searches. */
const DELAY = 120;
/** How many schedules are asked for. The server answers the best matches first. */
const LIMIT = 12;

/** What the server found for a query. */
export interface Found {
  schedules: readonly Schemas['ScheduleSummary'][];
  /** The batch whose number the query is. */
  batch?: Schemas['Batch'];
  /** The answer for the present query is still to come. */
  searching: boolean;
  failed: boolean;
}

/** What the server finds: schedules by name, title and pinyin, and a batch by its number. */
export function useFound(query: string): Found {
  const text = query.trim();
  const [settled] = useDebouncedValue(text, DELAY);
  const number = batchNumber(settled);
  const words = settled.startsWith('#') ? '' : settled.slice(0, 200);
  const schedules = useQuery({
    queryKey: [...keys.schedules, 'found', words],
    queryFn: ({ signal }) =>
      data(api.GET('/api/v1/schedules', { params: { query: { q: words, limit: LIMIT } }, signal })),
    enabled: words !== '',
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  });
  const batch = useQuery({
    queryKey: [...keys.batch(number ?? 0), 'found'],
    queryFn: async ({ signal }) => {
      const params = { path: { id: number ?? 0 }, query: { tasks: false } };
      try {
        return await data(api.GET('/api/v1/batches/{id}', { params, signal }));
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return null; // there is no such batch
        throw error;
      }
    },
    enabled: number !== undefined,
  });
  const asked = text !== '';
  return {
    schedules: asked && words !== '' ? (schedules.data?.items ?? []) : [],
    batch: asked && number !== undefined ? (batch.data ?? undefined) : undefined,
    searching: asked && (settled !== text || schedules.isFetching || batch.isFetching),
    failed: asked && (schedules.isError || batch.isError),
  };
}
