import type { Schemas } from '@/api/client';
import { withInvalidUnset } from '@/ui/searchParams';

type State = Schemas['BatchState'];
type Kind = Schemas['BatchKind'];

/** The filters of the batches page that are plain texts, by their names in the address. */
export const TEXT_FILTERS = [
  'schedule',
  'tag',
  'owner',
  'executor',
  'by',
  'param',
  'since',
  'until',
  'momentFrom',
  'momentTo',
  'longer',
] as const;
/** A filter that is a plain text. */
export type TextFilter = (typeof TEXT_FILTERS)[number];

/**
 * The filters of the batches page, in the search part of its address. They are those of the API: `since` and `until`
 * are about the start, `momentFrom` and `momentTo` about the logical time, and each may be a date, a time, or a time
 * before now such as `24h`. `param` is `name=value`, several separated by commas.
 */
export interface BatchesSearch extends Partial<Record<TextFilter, string>> {
  /** States separated by commas, such as `failed,running`. */
  state?: string;
  kind?: Kind;
  /** The number of a backfill. */
  backfill?: number;
  /** Only batches that need a person. */
  needs?: 'person';
}

/** The states to choose from, in the order of the menu. */
export const STATES: readonly State[] = ['queued', 'running', 'succeeded', 'failed', 'canceled'];
/** The kinds of batches to choose from, in the order of the menu. */
export const KINDS: readonly Kind[] = ['scheduled', 'manual', 'backfill', 'dependent', 'adhoc', 'hook'];

const MOMENT = /^(now|today|yesterday|\d+[dhms]|\d{4}-\d\d-\d\d([T ]\d\d:\d\d\S*)?)$/;
const FORMS: Partial<Record<TextFilter, RegExp>> = {
  since: MOMENT,
  until: MOMENT,
  momentFrom: MOMENT,
  momentTo: MOMENT,
  param: /^[^=,]+=/,
  longer: /^(\d+[dhms])+$/,
};

/** Checks the search part of an address. Invalid values are left out. */
export function checkBatchesSearch(s: Record<string, unknown>): BatchesSearch {
  const states = statesOf(typeof s.state === 'string' ? s.state : undefined);
  const out: BatchesSearch = {
    state: states.length > 0 ? states.join(',') : undefined,
    kind: KINDS.find((v) => v === s.kind),
    needs: s.needs === 'person' ? 'person' : undefined,
    backfill: Number.isSafeInteger(s.backfill) && Number(s.backfill) > 0 ? Number(s.backfill) : undefined,
  };
  for (const name of TEXT_FILTERS) {
    const text = typeof s[name] === 'string' || typeof s[name] === 'number' ? String(s[name]) : '';
    out[name] = text !== '' && (FORMS[name]?.test(text) ?? true) ? text : undefined;
  }
  return withInvalidUnset(out, s);
}

/** The states of a filter, in the order of the menu. */
export function statesOf(state: string | undefined): State[] {
  const named = new Set(state?.split(','));
  return STATES.filter((v) => named.has(v));
}
