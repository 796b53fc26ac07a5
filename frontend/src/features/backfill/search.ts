import { checkedDay, type DayRange, withInvalidUnset } from '@/ui/searchParams';

/** The filter of the page of backfills, in its address. `from` and `to` are days on which backfills were created. */
export interface BackfillsSearch extends DayRange {
  schedule?: string;
  /** Who created the backfill. */
  by?: string;
}

/** A text in an address, which may look like a number. */
const checkedText = (v: unknown) =>
  (typeof v === 'string' && v !== '') || typeof v === 'number' ? String(v) : undefined;

/** Checks the search part of an address. An invalid value is left out. */
export function checkBackfillsSearch(s: Record<string, unknown>): BackfillsSearch {
  return withInvalidUnset<BackfillsSearch>(
    { schedule: checkedText(s.schedule), by: checkedText(s.by), from: checkedDay(s.from), to: checkedDay(s.to) },
    s,
  );
}
