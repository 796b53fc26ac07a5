import type { Schemas } from '@/api/client';
import { withInvalidUnset } from '@/ui/searchParams';

type State = Schemas['BatchState'];
type Kind = Schemas['BatchKind'];

/** The filters of the batches page, in the search part of its address. */
export interface BatchesSearch {
  schedule?: string;
  /** States separated by commas, such as `failed,running`. */
  state?: string;
  kind?: Kind;
  /** The number of a backfill. */
  backfill?: number;
  /** The maximum age of the shown batches. */
  since?: Since;
}

/** A maximum age of batches, as in the address. */
export type Since = '1h' | '24h' | '7d' | '30d';

/** The states to choose from, in the order of the menu. */
export const STATES: readonly State[] = ['queued', 'running', 'succeeded', 'failed', 'canceled'];
/** The kinds of batches to choose from, in the order of the menu. */
export const KINDS: readonly Kind[] = ['scheduled', 'manual', 'backfill', 'dependent', 'adhoc'];
const HOUR = 3_600_000;
/** The maximum ages, in milliseconds. */
export const SINCE: Record<Since, number> = { '1h': HOUR, '24h': 24 * HOUR, '7d': 168 * HOUR, '30d': 720 * HOUR };

/** Checks the search part of an address. Invalid values are left out. */
export function checkBatchesSearch(s: Record<string, unknown>): BatchesSearch {
  const states = statesOf(typeof s.state === 'string' ? s.state : undefined);
  const out: BatchesSearch = {
    schedule:
      (typeof s.schedule === 'string' || typeof s.schedule === 'number') && s.schedule !== ''
        ? String(s.schedule)
        : undefined,
    state: states.length > 0 ? states.join(',') : undefined,
    kind: KINDS.find((v) => v === s.kind),
    backfill: Number.isSafeInteger(s.backfill) && Number(s.backfill) > 0 ? Number(s.backfill) : undefined,
    since: (Object.keys(SINCE) as Since[]).find((v) => v === s.since),
  };
  return withInvalidUnset(out, s);
}

/** The states of a filter, in the order of the menu. */
export function statesOf(state: string | undefined): State[] {
  const named = new Set(state?.split(','));
  return STATES.filter((v) => named.has(v));
}
