import type { CronTime } from '@/cron';

/** A time of day from a text such as `3:20`, `03:20:15`, `320`, `3` or `3 pm`; undefined if it is none. */
export function readTime(text: string): CronTime | undefined {
  const clean = text.trim().toLowerCase().replace('：', ':');
  const [, h, m, s, half] = /^(\d{1,2})(?:[:.]?([0-5]\d)(?:[:.]([0-5]\d))?)?\s*(am|pm)?$/.exec(clean) ?? [];
  if (h === undefined) return undefined;
  const hour = half === undefined ? Number(h) : (Number(h) % 12) + (half === 'pm' ? 12 : 0);
  if (hour > 23 || (half !== undefined && (Number(h) < 1 || Number(h) > 12))) return undefined;
  return { hour, minute: Number(m ?? 0), second: Number(s ?? 0) };
}

const two = (n: number) => String(n).padStart(2, '0');

/** A time of day: `03:20`, with seconds where there are any. */
export const writeTime = ({ hour, minute, second }: CronTime): string =>
  `${two(hour)}:${two(minute)}${second ? `:${two(second)}` : ''}`;
