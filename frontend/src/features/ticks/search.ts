import { checkedDay, type DayRange, withInvalidUnset } from '@/ui/searchParams';

/** The search part of the address of a schedule's ticks: the days of the moments, in the zone of the schedule. */
export type TicksSearch = DayRange;

/** Checks the search part of an address. Invalid values are left out. */
export const checkTicksSearch = (s: Record<string, unknown>): TicksSearch =>
  withInvalidUnset<TicksSearch>({ from: checkedDay(s.from), to: checkedDay(s.to) }, s);
