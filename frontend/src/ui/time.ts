/** Times as people read them. All inputs are RFC 3339 or milliseconds since 1970; all durations are milliseconds. */

/** A duration as mm:ss, h:mm:ss from one hour on. What people read of how long something took comes by `took`. */
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

/** How far at is from now, in words of the language: `3 minutes ago`, `in 2 hours`. */
export function relative(at: number, now: number, language: string): string {
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'short' });
  const d = at - now;
  for (const [unit, size] of STEPS) {
    if (Math.abs(d) >= size || unit === 'second') return format.format(Math.trunc(d / size), unit);
  }
  return '';
}

/** A moment as `2026-11-21 03:20`, with seconds if asked, in a zone (the browser's if none is given or known). */
export function exact(at: string | number, options: { zone?: string; seconds?: boolean } = {}): string {
  const parts = (zone?: string) =>
    new Intl.DateTimeFormat('en-CA', {
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: options.seconds ? '2-digit' : undefined,
      hourCycle: 'h23',
      timeZone: zone,
    })
      .format(new Date(at))
      .replace(', ', ' ');
  try {
    return parts(options.zone || undefined);
  } catch {
    return parts();
  }
}

/** Whether the clocks of a zone differ from the browser's at a moment. False for an unknown zone. */
export function isElsewhere(at: string | number, zone?: string): boolean {
  return zone !== undefined && exact(at, { zone }) !== exact(at);
}

/** The browser's local time at a moment: the time of day, preceded by the weekday if the date in `zone` differs. */
export function here(at: string | number, language: string, zone?: string): string {
  const time = exact(at).slice(11);
  if (exact(at).slice(0, 10) === exact(at, { zone }).slice(0, 10)) return time;
  const day = new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, { weekday: 'short' });
  return `${day.format(new Date(at))} ${time}`;
}

/** A day as `Mon 30 Nov`, in a zone (the browser's if none is given or known). */
export function weekday(at: string | number, language: string, zone?: string): string {
  const parts = (timeZone?: string) =>
    new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, {
      weekday: 'short',
      day: 'numeric',
      month: 'short',
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
