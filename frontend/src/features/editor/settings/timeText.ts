import type { CronTime } from '@/cron';

/** Reads a time of day such as `3:20`, `03:20:15`, `320`, `3` or `3 pm`; undefined for any other text. */
export function readTime(text: string): CronTime | undefined {
  const clean = text.trim().toLowerCase().replace('：', ':');
  const [, h, m, s, half] = /^(\d{1,2})(?:[:.]?([0-5]\d)(?:[:.]([0-5]\d))?)?\s*(am|pm)?$/.exec(clean) ?? [];
  if (h === undefined) return undefined;
  const hour = half === undefined ? Number(h) : (Number(h) % 12) + (half === 'pm' ? 12 : 0);
  if (hour > 23 || (half !== undefined && (Number(h) < 1 || Number(h) > 12))) return undefined;
  return { hour, minute: Number(m ?? 0), second: Number(s ?? 0) };
}

/** A number with two digits at least. */
export const two = (n: number) => String(n).padStart(2, '0');

/** Writes a time of day: `03:20`, with seconds unless they are 0. */
export const writeTime = ({ hour, minute, second }: CronTime): string =>
  `${two(hour)}:${two(minute)}${second ? `:${two(second)}` : ''}`;

/** Reads days of the month such as `1, 15` or `1-5`; undefined for any other text. */
export function readDays(text: string): number[] | undefined {
  const days = new Set<number>();
  const parts = text.split(/[\s,，、]+/).filter(Boolean);
  for (const part of parts) {
    const [, first, last] = /^(\d{1,2})(?:[-–](\d{1,2}))?$/.exec(part) ?? [];
    const [from, to] = [Number(first), Number(last ?? first)];
    if (first === undefined || from < 1 || to > 31 || from > to) return undefined;
    for (let day = from; day <= to; day++) days.add(day);
  }
  return days.size > 0 ? [...days].sort((a, b) => a - b) : undefined;
}

/** Writes days of the month: three and more in a row become a range. */
export function writeDays(days: readonly number[]): string {
  const runs: number[][] = [];
  for (const day of days) {
    const last = runs.at(-1);
    if (last && last.at(-1) === day - 1) last.push(day);
    else runs.push([day]);
  }
  return runs.map((run) => (run.length > 2 ? `${String(run[0])}-${String(run.at(-1))}` : run.join(', '))).join(', ');
}
