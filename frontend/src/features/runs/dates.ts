import { exact } from '@/ui';
import type { Batch } from './grid';

/** The date of a column. */
export interface DateLabel {
  /** The day of the month, or the time if several batches have the same day. */
  short: string;
  /** The first column of a week, or of a day if several batches have the same day: its day, such as `Mon 2 Nov`. */
  long?: string;
  /** Saturday or Sunday. */
  weekend: boolean;
}

/** The dates of columns, in a zone and a language. */
export function datesOf(batches: readonly Batch[], zone: string | undefined, language: string): DateLabel[] {
  const days = batches.map((batch) => exact(batch.moment, { zone }).slice(0, 10));
  const daily = new Set(days).size === days.length;
  const name = new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  });
  let group = '';
  return batches.map((batch, x) => {
    const day = days[x] ?? '';
    const date = new Date(`${day}T00:00:00Z`);
    const next = daily ? weekOf(date) : day;
    const first = next !== group;
    group = next;
    return {
      short: daily ? String(date.getUTCDate()) : exact(batch.moment, { zone }).slice(11, 13),
      long: first ? name.format(date).replace(',', '') : undefined,
      weekend: daily && date.getUTCDay() % 6 === 0,
    };
  });
}

const DAY = 86_400_000;

/** The Monday of a day. */
function weekOf(date: Date): string {
  return new Date(date.getTime() - ((date.getUTCDay() + 6) % 7) * DAY).toISOString().slice(0, 10);
}
