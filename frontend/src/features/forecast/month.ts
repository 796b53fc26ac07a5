import type { Schemas } from '@/api/client';

/** One day of the weeks that the server counts. */
export type Day = Schemas['ForecastDay'];
/** A tick that differs from what every day does. */
export type DayItem = Schemas['ForecastDayItem'];

const MS_OF_DAY = 86_400_000;

/** A month, as in `2026-12`, some months later or earlier. */
export function monthAfter(month: string, n: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 + n, 1)).toISOString().slice(0, 7);
}

/** A date, as in `2026-12-24`, some days later or earlier. */
export function dateAfter(date: string, n: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + n * MS_OF_DAY).toISOString().slice(0, 10);
}

const inLanguage = (language: string) => (language === 'en' ? 'en-GB' : language);

/** The name of a month, as in `December 2026`. */
export function monthName(month: string, language: string, year = true): string {
  return new Intl.DateTimeFormat(inLanguage(language), {
    month: 'long',
    year: year ? 'numeric' : undefined,
    timeZone: 'UTC',
  }).format(new Date(`${month}-01T00:00:00Z`));
}

/** A date in full, as in `Thursday 24 December`. */
export function dateName(date: string, language: string): string {
  return new Intl.DateTimeFormat(inLanguage(language), {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    timeZone: 'UTC',
  }).format(new Date(`${date}T00:00:00Z`));
}

/** A date in short, as in `24 Dec`. */
export function shortDate(date: string, language: string): string {
  return new Intl.DateTimeFormat(inLanguage(language), { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(
    new Date(`${date}T00:00:00Z`),
  );
}

/** The weekdays from Monday to Sunday, in short. */
export function weekdays(language: string): string[] {
  const format = new Intl.DateTimeFormat(inLanguage(language), { weekday: 'short', timeZone: 'UTC' });
  return Array.from({ length: 7 }, (_, i) => format.format(new Date(Date.UTC(2024, 0, 1 + i))));
}

/** The week of the year by ISO 8601. `monday` is its first date. */
export function weekNumber(monday: string): number {
  const thursday = dateAfter(monday, 3);
  const first = Date.parse(`${thursday.slice(0, 4)}-01-01T00:00:00Z`);
  return 1 + Math.floor((Date.parse(`${thursday}T00:00:00Z`) - first) / (7 * MS_OF_DAY));
}

/** Splits a list of days into weeks. */
export function weeksOf(days: readonly Day[]): Day[][] {
  return Array.from({ length: Math.ceil(days.length / 7) }, (_, i) => days.slice(7 * i, 7 * i + 7));
}

/** What a month does differently: the same change of the same schedules on some days. */
export interface Change {
  kind: Exclude<DayItem['kind'], 'due'>;
  schedules: string[];
  /** Ordered. */
  dates: string[];
  /** Ticks on all the days. */
  count: number;
  /** Of one moved moment: the day from which it comes. */
  from?: string;
}

/** The changes of the days, by their first date. */
export function changesOf(days: readonly Day[]): Change[] {
  const single = new Map<string, { change: Change; schedule: string }>();
  for (const day of days) {
    for (const item of day.items) {
      if (item.kind === 'due') continue;
      const key = `${item.kind} ${item.schedule} ${item.from ?? ''}`;
      const known = single.get(key)?.change ?? {
        kind: item.kind,
        schedules: [item.schedule],
        dates: [],
        count: 0,
        from: item.from,
      };
      if (!known.dates.includes(day.date)) known.dates.push(day.date);
      known.count += item.count;
      single.set(key, { change: known, schedule: item.schedule });
    }
  }
  const merged = new Map<string, Change>();
  for (const { change, schedule } of single.values()) {
    const key = `${change.kind} ${change.dates.join()} ${change.from ?? ''}`;
    const known = merged.get(key);
    if (known) {
      if (!known.schedules.includes(schedule)) known.schedules.push(schedule);
      known.count += change.count;
    } else merged.set(key, change);
  }
  return [...merged.values()].sort((a, b) => (a.dates[0] ?? '').localeCompare(b.dates[0] ?? ''));
}

/** Dates as ranges of consecutive days. */
export function rangesOf(dates: readonly string[]): { first: string; last: string }[] {
  const ranges: { first: string; last: string }[] = [];
  for (const date of dates) {
    const last = ranges.at(-1);
    if (last && dateAfter(last.last, 1) === date) last.last = date;
    else ranges.push({ first: date, last: date });
  }
  return ranges;
}

/** The largest number of ticks in an hour of the days; at least 1. */
export function busiest(days: readonly Day[]): number {
  return Math.max(1, ...days.flatMap((d) => d.hours));
}
