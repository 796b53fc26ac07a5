import type { TFunction } from 'i18next';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';

// Formats times and durations. Moments are RFC 3339 or milliseconds since 1970; durations are in milliseconds.

/** A duration as mm:ss, or h:mm:ss from one hour on. For the duration of a run, use `took`. */
export function clock(ms: number): string {
  const s = Math.max(0, Math.floor(ms / 1000));
  const two = (n: number) => String(n).padStart(2, '0');
  return s < 3600
    ? `${two(Math.floor(s / 60))}:${two(s % 60)}`
    : `${Math.floor(s / 3600)}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}`;
}

const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
];

/** A moment relative to now, in the language: `3 minutes ago`, `in 2 hours`. */
export function relative(at: number, now: number, language: string): string {
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'short' });
  const d = at - now;
  for (const [unit, size] of STEPS) {
    if (Math.abs(d) >= size || unit === 'second') return format.format(Math.trunc(d / size), unit);
  }
  return '';
}

/** A moment as `2026-11-21 03:20`, optionally with seconds. Without a valid zone, the zone of the browser is used. */
export function exact(at: string | number, { zone, seconds = false }: ExactOptions = {}): string {
  const date = new Date(at);
  // With its offset, the zone of the browser is another one after the computer was taken to another zone.
  const key = `${zone || String(date.getTimezoneOffset())} ${String(seconds)}`;
  let format = formats.get(key);
  if (!format) formats.set(key, (format = exactFormat(zone, seconds)));
  return format.format(date).replace(', ', ' ');
}

interface ExactOptions {
  zone?: string;
  seconds?: boolean;
}

/** The formats by zone. To make one takes fifty times as long as to use it, and a page has hundreds of moments. */
const formats = new Map<string, Intl.DateTimeFormat>();

function exactFormat(zone: string | undefined, seconds: boolean): Intl.DateTimeFormat {
  const format = (timeZone?: string) =>
    new Intl.DateTimeFormat('en-CA', {
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: seconds ? '2-digit' : undefined,
      hourCycle: 'h23',
      timeZone,
    });
  try {
    return format(zone || undefined);
  } catch {
    return format(); // the browser does not know the zone
  }
}

/** Whether the local time in a zone differs from the local time of the browser. False for an unknown zone. */
export function isElsewhere(at: string | number, zone?: string): boolean {
  return zone !== undefined && exact(at, { zone }) !== exact(at);
}

/**
 * The local time of the browser at a moment, preceded by the weekday if the date in `zone` differs. `seconds` adds the
 * seconds.
 */
export function here(at: string | number, language: string, { zone, seconds = false }: ExactOptions = {}): string {
  const time = exact(at, { seconds }).slice(11);
  if (exact(at).slice(0, 10) === exact(at, { zone }).slice(0, 10)) return time;
  const day = new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, { weekday: 'short' });
  return `${day.format(new Date(at))} ${time}`;
}

/**
 * A day as `Mon 30 Nov`, with its year if that is not the year of `now`. Without a valid zone, the zone of the browser
 * is used.
 */
export function weekday(at: string | number, language: string, now: number, zone?: string): string {
  const year = exact(at, { zone }).slice(0, 4) === exact(now, { zone }).slice(0, 4) ? undefined : 'numeric';
  const parts = (timeZone?: string) =>
    new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, {
      weekday: 'short',
      day: 'numeric',
      month: 'short',
      year,
      timeZone,
    })
      .format(new Date(at))
      .replace(',', '');
  try {
    return parts(zone || undefined);
  } catch {
    return parts();
  }
}

const UNITS = [
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
  ['s', 1],
] as const;

/** A duration (milliseconds) in its two largest units: `9 h 41 m`, `48 s`; below one second `412 ms`. */
export function span(ms: number, t: TFunction): string {
  if (ms <= 0) return t('span.s', { n: 0 });
  if (Math.round(ms) < 1000) return t('span.ms', { n: Math.max(1, Math.round(ms)) });
  const seconds = Math.round(ms / 1000);
  const first = UNITS.findIndex(([, size]) => seconds >= size);
  const [unit, size] = UNITS[first] ?? UNITS[3];
  const [small, smallSize] = UNITS[first + 1] ?? [undefined, 1];
  const smallCount = small ? Math.floor((seconds % size) / smallSize) : 0;
  const parts = [t(`span.${unit}`, { n: Math.floor(seconds / size) })];
  if (small && smallCount > 0) parts.push(t(`span.${small}`, { n: smallCount }));
  return parts.join(' ');
}

/** The duration of a run: `03:39`, or milliseconds below one second if the run has ended. */
export function took(ms: number, t: TFunction, running = false): string {
  if (running || ms < 0 || ms >= 1000) return clock(ms);
  return ms < 1 ? t('span.least') : t('span.ms', { n: Math.floor(ms) });
}

/** The function took in the language of the user. */
export function useTook(): (ms: number, running?: boolean) => string {
  const { t } = useTranslation('common');
  return useCallback((ms, running) => took(ms, t, running), [t]);
}

/** The function span in the language of the user. */
export function useSpan(): (ms: number) => string {
  const { t } = useTranslation('common');
  return useCallback((ms) => span(ms, t), [t]);
}

const wallClock = (zone: string) =>
  new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });

/** The local time in a zone at a moment (milliseconds since 1970), such as `2026-11-21T03:20:00`. */
export function wallTimeAt(at: number, zone: string): string {
  return wallClock(zone).format(new Date(at)).replace(', ', 'T');
}

const DAY = 86_400_000;

/**
 * The moment of a local time in a zone; seconds may be left out. If the zone has this time twice, the earlier moment.
 * Undefined if the zone never has it, because clocks are put forward over it, or if the text is not a time.
 */
export function momentAtWallTime(wallTime: string, zone: string): Date | undefined {
  const text = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(wallTime) ? `${wallTime}:00` : wallTime;
  const asUtc = Date.parse(`${text}Z`);
  if (Number.isNaN(asUtc)) return undefined;
  // An offset changes by less than a day, so the offset of one of these two moments applies.
  const offsets = [asUtc - DAY, asUtc + DAY].map((at) => Date.parse(`${wallTimeAt(at, zone)}Z`) - at);
  return offsets
    .map((offset) => new Date(asUtc - offset))
    .sort((a, b) => a.getTime() - b.getTime())
    .find((at) => wallTimeAt(at.getTime(), zone) === text);
}
