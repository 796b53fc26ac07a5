import { withInvalidUnset } from '@/ui/searchParams';
import { isoOf, windowOf } from './scale';
import type { Frame } from './useNight';

/** The search part of the address of all schedules on one axis. */
export interface AxisSearch {
  /** Hours before and after now; undefined means 12. */
  hours?: 3 | 24;
  /** A fixed window, in RFC 3339. */
  from?: string;
  to?: string;
  /** Only schedules whose names have this text. */
  q?: string;
  /** The batch whose tasks are shown, and its schedule. */
  batch?: number;
  of?: string;
}

const time = (v: unknown) => (typeof v === 'string' && !Number.isNaN(Date.parse(v)) ? v : undefined);
// The router parses values of the address as JSON: a name such as 7 arrives as a number.
const text = (v: unknown) => (typeof v === 'string' || typeof v === 'number' ? String(v) || undefined : undefined);

/** Checks the search part of an address. Invalid values are left out. */
export function checkAxisSearch(s: Record<string, unknown>): AxisSearch {
  const [from, to] = [time(s.from), time(s.to)];
  const fixed = from !== undefined && to !== undefined && Date.parse(from) < Date.parse(to);
  const batch = Number.isSafeInteger(s.batch) && Number(s.batch) > 0 ? Number(s.batch) : undefined;
  const of = text(s.of);
  const out: AxisSearch = {
    hours: !fixed && (s.hours === 3 || s.hours === 24) ? s.hours : undefined,
    from: fixed ? from : undefined,
    to: fixed ? to : undefined,
    q: text(s.q),
    batch: of === undefined ? undefined : batch,
    of: batch === undefined ? undefined : of,
  };
  return withInvalidUnset(out, s);
}

/** The window that an address names. */
export function frameOf({ hours, from, to }: AxisSearch): Frame {
  return from !== undefined && to !== undefined ? windowOf(Date.parse(from), Date.parse(to)) : { hours: hours ?? 12 };
}

/** The part of an address that names a window. */
export function searchOf(frame: Frame): Pick<AxisSearch, 'hours' | 'from' | 'to'> {
  if ('hours' in frame)
    return { hours: frame.hours === 3 || frame.hours === 24 ? frame.hours : undefined, from: undefined, to: undefined };
  return { hours: undefined, ...isoOf(frame) };
}
