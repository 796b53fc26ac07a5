import { queryOptions } from '@tanstack/react-query';
import { api, data, type Schemas } from './client';

/** A secret of tasks, without its value. */
export type Secret = Schemas['Secret'];
/** A connection in the list, without where it leads. */
export type Connection = Schemas['ConnectionSummary'];
/** A type of connections, with the options that it has. */
export type ConnectionType = Schemas['ConnectionType'];

/** The keys of the cache. */
export const secretKeys = { secrets: ['secrets'] as const, connections: ['connections'] as const };

/** All secrets by name. */
export const secretsQuery = queryOptions({
  queryKey: secretKeys.secrets,
  queryFn: async ({ signal }) => (await data(api.GET('/api/v1/secrets', { signal }))).items,
});

/** All connections by name, and the types that a connection may have. */
export const connectionsQuery = queryOptions({
  queryKey: secretKeys.connections,
  queryFn: ({ signal }) => data(api.GET('/api/v1/connections', { signal })),
});
