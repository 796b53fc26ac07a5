import { QueryClient, queryOptions } from '@tanstack/react-query';
import { ApiError, api, data, OfflineError, setCsrf } from './client';
import type { Definition } from './definition';

/** Keys of what is cached. Everything about a batch begins with ['batch', id], so that one call can renew it. */
export const keys = {
  me: ['me'] as const,
  setup: ['setup'] as const,
  overview: ['overview'] as const,
  schedules: ['schedules'] as const,
  schedule: (name: string) => ['schedule', name] as const,
  created: (name: string) => ['begun', name] as const,
  ticks: (name: string) => ['schedule', name, 'ticks'] as const,
  batches: ['batches'] as const,
  batch: (id: number) => ['batch', id] as const,
  executors: ['executors'] as const,
  notices: ['notices'] as const,
};

/** The cache of all server state. A refusal is not asked again; a server out of reach is. */
export function newQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        retry: (count, error) =>
          error instanceof OfflineError || (error instanceof ApiError && error.status === 503) ? count < 3 : false,
      },
    },
  });
}

/** The user of the session; an ApiError with status 401 if there is no session. */
export const meQuery = queryOptions({
  queryKey: keys.me,
  queryFn: async () => {
    const me = await data(api.GET('/api/v1/me'));
    setCsrf(me.csrf ?? '');
    return me;
  },
  staleTime: 60_000,
});

/** Whether the server still needs its administrator. */
export const setupQuery = queryOptions({
  queryKey: keys.setup,
  queryFn: () => data(api.GET('/api/v1/setup')),
  staleTime: Infinity,
});

/** One schedule with its newest revision. */
export const scheduleQuery = (name: string) =>
  queryOptions({
    queryKey: keys.schedule(name),
    queryFn: () => data(api.GET('/api/v1/schedules/{name}', { params: { path: { name } } })),
  });

/** Notes that a schedule was just created in this browser, so the page need not ask whether it is published. */
export function noteCreated(client: QueryClient, name: string): void {
  client.setQueryData(keys.created(name), true);
}

/** Whether that was noted; it is known once. */
export function takeCreatedNote(client: QueryClient, name: string): boolean {
  const wasNoted = client.getQueryData(keys.created(name)) === true;
  client.removeQueries({ queryKey: keys.created(name), exact: true });
  return wasNoted;
}

/** One batch with its task runs, as a fallback and start for the live topic. */
export const batchQuery = (id: number) =>
  queryOptions({
    queryKey: keys.batch(id),
    queryFn: () => data(api.GET('/api/v1/batches/{id}', { params: { path: { id } } })),
  });

/** The hand-overs of a batch, or of one task of it. */
export const attemptsQuery = (id: number, task?: string) =>
  queryOptions({
    queryKey: [...keys.batch(id), 'attempts', task ?? ''],
    queryFn: () =>
      data(api.GET('/api/v1/batches/{id}/attempts', { params: { path: { id }, query: task ? { task } : {} } })),
  });

/** The executors. */
export const executorsQuery = queryOptions({
  queryKey: keys.executors,
  queryFn: () => data(api.GET('/api/v1/executors')),
});

/**
 * Whether the database was restored to an earlier state. The page asks repeatedly, because the server finds this out
 * minutes after its start.
 */
export const noticesQuery = queryOptions({
  queryKey: keys.notices,
  queryFn: () => data(api.GET('/api/v1/notices')),
  staleTime: 60_000,
  refetchInterval: 60_000,
});

/** The definition that a batch runs by, whatever its kind. It never changes, but for the revision of a later round. */
export const definitionQuery = (batch: number, revision: number) =>
  queryOptions({
    queryKey: [...keys.batch(batch), 'definition', revision],
    queryFn: async () =>
      (await data(
        api.GET('/api/v1/batches/{id}/definition', { params: { path: { id: batch } } }),
      )) as unknown as Definition,
    staleTime: Infinity,
  });
