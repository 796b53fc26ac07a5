import { momentAtWallTime, wallTimeAt } from '@/ui';
import { ownZone } from '@/ui/zones';
import type { BatchesSearch } from './search';

const UNIT = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * The moment that a filter names, in milliseconds: an RFC 3339 time, a date or time in a zone, a time before `now`, or
 * a word. Undefined if it names none. Without a zone, that of the browser is used.
 */
export function momentOf(text: string | undefined, now: number, zone = ownZone()): number | undefined {
  if (!text) return undefined;
  if (text === 'now') return now;
  if (text === 'today' || text === 'yesterday') {
    const today = wallTimeAt(now, zone).slice(0, 10);
    return startOf(text === 'today' ? today : dayBefore(today), zone);
  }
  const before = /^(\d+)([smhd])$/.exec(text);
  if (before) return now - Number(before[1]) * UNIT[before[2] as keyof typeof UNIT];
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return startOf(text, zone);
  const time = text.replace(' ', 'T');
  const at = /(Z|[+-]\d\d:?\d\d)$/.test(time) ? Date.parse(time) : momentAtWallTime(time, zone)?.getTime();
  return Number.isNaN(at) ? undefined : at;
}

function dayBefore(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) - UNIT.d).toISOString().slice(0, 10);
}

/** The begin of a day. Some zones put their clocks forward over midnight. */
function startOf(day: string, zone: string): number | undefined {
  return (momentAtWallTime(`${day}T00:00`, zone) ?? momentAtWallTime(`${day}T01:00`, zone))?.getTime();
}

/** The filters as the API wants them: the server does not know the zone of the view. */
export function queryOf({ state, kind, backfill, needs, ...texts }: BatchesSearch, now: number, zone?: string) {
  const iso = (text: string | undefined) => {
    const at = momentOf(text, now, zone);
    return at === undefined ? undefined : new Date(at).toISOString();
  };
  return {
    ...texts,
    state,
    kind,
    backfill,
    needsPerson: needs === undefined ? undefined : true,
    since: iso(texts.since),
    until: iso(texts.until),
    momentFrom: iso(texts.momentFrom),
    momentTo: iso(texts.momentTo),
  };
}

/** The address of the CSV file of the batches that match. It begins with a byte order mark, for Excel. */
export function csvAddress(filter: BatchesSearch, now: number, zone?: string): string {
  const params = new URLSearchParams({ bom: 'true' });
  for (const [name, value] of Object.entries(queryOf(filter, now, zone))) {
    if (value !== undefined) params.set(name, String(value));
  }
  return `/api/v1/batches.csv?${params.toString()}`;
}
