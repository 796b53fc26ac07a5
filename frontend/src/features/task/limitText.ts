import type { Schemas } from '@/api/client';

type Limit = Pick<Schemas['RunLimit'], 'kind' | 'used' | 'most' | 'setBy'>;

/**
 * The key of the text that says how a limit or a pool keeps a task waiting that needs `slots` of it. Since the server
 * decided, there may be room again; the free slots of a pool may also be reserved for a wider task.
 */
export function limitText({ kind, used, most, setBy }: Limit, slots: number) {
  if (!setBy) return 'limit.no_pool';
  if (most === 0) return `limit.closed.${kind}` as const;
  const hasRoom = slots <= most - used;
  if (kind !== 'pool') return hasRoom ? 'limit.room' : (`limit.${kind}` as const);
  return slots > most ? 'limit.tooFew' : hasRoom ? 'limit.free' : 'limit.pool';
}
