import { queryOptions } from '@tanstack/react-query';
import { api, data, type Schemas } from './client';

/** A limit on what runs, or a pool, with what counts now. */
export type Limit = Schemas['RunLimit'];
/** What a limit holds for. */
export type LimitKind = Schemas['LimitKind'];

/** The key of the cache. */
export const limitKeys = { all: ['limits'] as const };

/** All limits by kind and name, and then the pools. */
export const limitsQuery = queryOptions({
  queryKey: limitKeys.all,
  queryFn: async ({ signal }) => (await data(api.GET('/api/v1/limits', { signal }))).items,
});
