import { keepPreviousData, QueryClient, type QueryKey, queryOptions } from '@tanstack/react-query';
import { ApiError, api, data, OfflineError, setCsrf } from './client';
import type { Definition } from './definition';

/** The keys of the cache. All keys of a batch begin with ['batch', id], so that one call invalidates them. */
export const keys = {
  me: ['me'] as const,
  setup: ['setup'] as const,
  overview: ['overview'] as const,
  schedules: ['schedules'] as const,
  archived: ['schedules', 'archived'] as const,
  schedule: (name: string) => ['schedule', name] as const,
  created: (name: string) => ['created', name] as const,
  ticks: (name: string) => ['schedule', name, 'ticks'] as const,
  chain: (name: string, resume?: string) => ['schedule', name, 'chain', resume ?? ''] as const,
  batches: ['batches'] as const,
  batch: (id: number) => ['batch', id] as const,
  backfills: ['backfills'] as const,
  calendars: ['calendars'] as const,
  calendar: (name: string) => ['calendars', name] as const,
  forecast: ['forecast'] as const,
  alerts: ['alerts'] as const,
  reports: ['reports'] as const,
  executors: ['executors'] as const,
  executorGroups: ['executor-groups'] as const,
  disk: ['disk'] as const,
  notices: ['notices'] as const,
};

/**
 * Creates the cache of all server state. A query is retried if the server cannot be reached, but not after a refusal.
 *
 * Nothing waits for the browser to be online: it may be offline and the server still be reached, on the same machine or
 * in the same building. By default, a save would then wait without a word.
 */
export function newQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      mutations: { networkMode: 'always' },
      queries: {
        networkMode: 'always',
        staleTime: 5_000,
        retry: (count, error) =>
          error instanceof OfflineError || (error instanceof ApiError && error.status === 503) ? count < 3 : false,
      },
    },
  });
}

/**
 * Reads queries again after a live change. A hidden page reads them when it is shown: it may be open all day, and hear
 * of changes every second.
 */
export function renewShown(client: QueryClient, filters: { queryKey: QueryKey; exact?: boolean }): void {
  const refetchType = document.visibilityState === 'hidden' ? 'none' : 'active';
  void client.invalidateQueries({ ...filters, refetchType });
}

/** The user of the session. Without a session, the query fails with status 401. */
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

/** The numbers of now, such as how many batches need a person. */
export const overviewQuery = queryOptions({
  queryKey: keys.overview,
  queryFn: ({ signal }) => data(api.GET('/api/v1/overview', { signal })),
});

/** How many schedules a picker proposes at once. */
const PROPOSED = 50;

/**
 * The schedules that a picker proposes: those that match some words, the best first, or without words the first ones by
 * name. There may be very many, so no picker reads all of them.
 */
export const proposedQuery = (words: string) =>
  queryOptions({
    queryKey: [...keys.schedules, 'proposed', words],
    queryFn: async ({ signal }) => {
      const query = { q: words === '' ? undefined : words.slice(0, 200), limit: PROPOSED };
      return (await data(api.GET('/api/v1/schedules', { params: { query }, signal }))).items;
    },
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });

/** The tags and the owners of all schedules. */
export const labelsQuery = queryOptions({
  queryKey: [...keys.schedules, 'labels'],
  queryFn: ({ signal }) => data(api.GET('/api/v1/schedule-labels', { signal })),
  staleTime: 30_000,
});

/** One schedule with its newest revision. */
export const scheduleQuery = (name: string) =>
  queryOptions({
    queryKey: keys.schedule(name),
    queryFn: () => data(api.GET('/api/v1/schedules/{name}', { params: { path: { name } } })),
  });

/** Notes that a schedule was just created in this browser, so that its page need not check whether it is published. */
export function noteCreated(client: QueryClient, name: string): void {
  client.setQueryData(keys.created(name), true);
}

/** Returns whether noteCreated was called for a schedule, and removes the note. */
export function takeCreatedNote(client: QueryClient, name: string): boolean {
  const wasNoted = client.getQueryData(keys.created(name)) === true;
  client.removeQueries({ queryKey: keys.created(name), exact: true });
  return wasNoted;
}

/** A batch with its task runs: the initial state before the live topic, and a fallback for it. */
export const batchQuery = (id: number) =>
  queryOptions({
    queryKey: keys.batch(id),
    queryFn: () => data(api.GET('/api/v1/batches/{id}', { params: { path: { id } } })),
  });

/** The attempts of a batch, or of one task of it. */
export const attemptsQuery = (id: number, task?: string) =>
  queryOptions({
    queryKey: [...keys.batch(id), 'attempts', task ?? ''],
    queryFn: () =>
      data(api.GET('/api/v1/batches/{id}/attempts', { params: { path: { id }, query: task ? { task } : {} } })),
  });

/** The calendars that triggers may follow. */
export const calendarsQuery = queryOptions({
  queryKey: keys.calendars,
  queryFn: () => data(api.GET('/api/v1/calendars')),
});

/** Who is on the open problems of batches, by batch. One request serves all rows of a list. */
export const takersQuery = queryOptions({
  queryKey: [...keys.alerts, 'takers'],
  queryFn: async () => {
    const { items } = await data(
      api.GET('/api/v1/alerts', { params: { query: { open: true, taken: true, limit: 500 } } }),
    );
    return Object.fromEntries(items.flatMap(({ batch, taker }) => (batch && taker ? [[batch, taker.name]] : [])));
  },
  staleTime: 10_000,
  refetchInterval: 30_000, // the live connection does not report it
});

/** The executors. */
export const executorsQuery = queryOptions({
  queryKey: keys.executors,
  queryFn: () => data(api.GET('/api/v1/executors')),
});

/** The groups of executors with their routes. */
export const executorGroupsQuery = queryOptions({
  queryKey: keys.executorGroups,
  queryFn: () => data(api.GET('/api/v1/executor-groups')),
});

/** The sizes of the database and the logs, and the space of the server's disk. The server measures them rarely. */
export const diskQuery = queryOptions({
  queryKey: keys.disk,
  queryFn: () => data(api.GET('/api/v1/disk')),
  staleTime: 60_000,
});

/**
 * The notices of the server, such as a database that was restored to an earlier state. They are polled, because the
 * server may find this out minutes after its start.
 */
export const noticesQuery = queryOptions({
  queryKey: keys.notices,
  queryFn: () => data(api.GET('/api/v1/notices')),
  staleTime: 60_000,
  refetchInterval: 60_000,
});

/** The definition of a batch. It changes only if a later round uses another revision. */
export const definitionQuery = (batch: number, revision: number) =>
  queryOptions({
    queryKey: [...keys.batch(batch), 'definition', revision],
    queryFn: async () =>
      (await data(
        api.GET('/api/v1/batches/{id}/definition', { params: { path: { id: batch } } }),
      )) as unknown as Definition,
    staleTime: Infinity,
  });
