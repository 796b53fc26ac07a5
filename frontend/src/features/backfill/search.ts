import { withInvalidUnset } from '@/ui/searchParams';

/** The filter of the page of backfills, in the search part of its address. */
export interface BackfillsSearch {
  schedule?: string;
}

/** Checks the search part of an address. An invalid value is left out. */
export function checkBackfillsSearch(s: Record<string, unknown>): BackfillsSearch {
  const named = (typeof s.schedule === 'string' || typeof s.schedule === 'number') && s.schedule !== '';
  return withInvalidUnset({ schedule: named ? String(s.schedule) : undefined }, s);
}
