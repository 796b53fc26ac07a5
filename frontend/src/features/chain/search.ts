import { withInvalidUnset } from '@/ui/searchParams';

/** The search part of the address of a chain. */
export interface ChainSearch {
  /** When the failed batches are assumed to be resumed: `now` or a moment (RFC 3339). Undefined means never. */
  resume?: string;
  /** Name of the schedule to which the critical chain is shown; undefined means the last one. */
  to?: string;
}

/** Checks the search part of an address. Invalid values are left out. */
export function checkChainSearch(s: Record<string, unknown>): ChainSearch {
  const isMoment = typeof s.resume === 'string' && (s.resume === 'now' || !Number.isNaN(Date.parse(s.resume)));
  const isNamed = (typeof s.to === 'string' || typeof s.to === 'number') && s.to !== '';
  return withInvalidUnset(
    { resume: isMoment ? (s.resume as string) : undefined, to: isNamed ? String(s.to) : undefined },
    s,
  );
}
