import { withInvalidUnset } from '@/ui/searchParams';

/** What the page of the forecast shows, in the search part of its address. */
export interface ForecastSearch {
  /** As in `2026-12`; the present month if it is left out. */
  month?: string;
  schedule?: string;
  view?: 'list';
  /** The open day, as in `2026-12-24`. */
  day?: string;
  /** Emphasize the days on which nothing runs. */
  idle?: true;
  /** What if no server runs then? As `FROM..TO`, two moments in RFC 3339. */
  down?: string;
  /** What if a schedule runs later? As `NAME=60m`, or `NAME=-60m` for earlier. */
  shift?: string;
}

const MONTH = /^\d{4}-(0[1-9]|1[0-2])$/;
const DAY = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;

function matching(value: unknown, pattern: RegExp): string | undefined {
  return typeof value === 'string' && pattern.test(value) ? value : undefined;
}

/** Checks the search part of an address. An invalid value is left out. */
export function checkForecastSearch(s: Record<string, unknown>): ForecastSearch {
  const named = (typeof s.schedule === 'string' || typeof s.schedule === 'number') && s.schedule !== '';
  return withInvalidUnset(
    {
      month: matching(s.month, MONTH),
      schedule: named ? String(s.schedule) : undefined,
      view: s.view === 'list' ? s.view : undefined,
      day: matching(s.day, DAY),
      idle: s.idle === true ? true : undefined,
      down: matching(s.down, /^\S+\.\.\S+$/),
      shift: matching(s.shift, /^[^=\s]+=-?\d{1,4}m$/),
    },
    s,
  );
}
