/** The values of one field of a cron; `star` says that it names none in particular. */
export interface Field {
  star: boolean;
  values: number[];
}

/** A cron that names moments by its six fields, or one that comes round after so many seconds. */
export type Cron =
  { every: number } | { second: Field; minute: Field; hour: Field; day: Field; month: Field; weekday: Field };

const ALIASES: Record<string, string> = {
  '@yearly': '0 0 0 1 1 *',
  '@annually': '0 0 0 1 1 *',
  '@monthly': '0 0 0 1 * *',
  '@weekly': '0 0 0 * * 0',
  '@daily': '0 0 0 * * *',
  '@midnight': '0 0 0 * * *',
  '@hourly': '0 0 * * * *',
};
const MONTHS = ['', 'jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const SECONDS: Record<string, number> = { d: 86_400, h: 3600, m: 60, s: 1 };

/** Reads a cron as the server does; undefined for what it does not surely understand. */
export function readCron(text: string): Cron | undefined {
  const clean = text.trim().toLowerCase();
  const every = /^@every\s+((?:\d+[dhms])+)$/.exec(clean);
  if (every) {
    const parts = [...(every[1] ?? '').matchAll(/(\d+)([dhms])/g)];
    const seconds = parts.reduce((sum, [, n, unit]) => sum + Number(n) * (SECONDS[unit ?? ''] ?? NaN), 0);
    return seconds > 0 ? { every: seconds } : undefined;
  }
  const fields = cronFields(text);
  if (!fields) return undefined;
  const [second, minute, hour, day, month, weekday] = [
    field(fields[0], 0, 59),
    field(fields[1], 0, 59),
    field(fields[2], 0, 23),
    field(fields[3], 1, 31, undefined, true),
    field(fields[4], 1, 12, MONTHS),
    field(fields[5], 0, 6, DAYS, true),
  ];
  return second && minute && hour && day && month && weekday
    ? { second, minute, hour, day, month, weekday }
    : undefined;
}

/** The six fields of a cron as they are written, seconds first; undefined if it has none. */
export function cronFields(text: string): string[] | undefined {
  const clean = text.trim().toLowerCase();
  const fields = (ALIASES[clean] ?? clean).split(/\s+/);
  if (fields.length === 5) fields.unshift('0');
  return fields.length === 6 ? fields : undefined;
}

function field(
  text: string | undefined,
  min: number,
  max: number,
  names?: string[],
  question = false,
): Field | undefined {
  if (!text) return undefined;
  if (text === '*' || text === '*/1' || (question && text === '?')) return { star: true, values: range(min, max, 1) };
  const values = new Set<number>();
  for (const part of text.split(',')) {
    const found = /^(?:(\*)|(\d{1,2}|[a-z]{3})(?:-(\d{1,2}|[a-z]{3}))?)(?:\/(\d{1,2}))?$/.exec(part);
    if (!found) return undefined;
    const [, star, low, high, stepText] = found;
    const step = stepText === undefined ? 1 : Number(stepText);
    const from = star ? min : number(low, names);
    let to = high !== undefined ? number(high, names) : star || stepText !== undefined ? max : from;
    if (names === DAYS && high !== undefined && to === 0 && from > 0) to = 7; // fri-sun
    const last = names === DAYS ? 7 : max;
    if (!(step >= 1) || !(from >= min && from <= last) || !(to >= from && to <= last)) return undefined;
    range(from, to, step).forEach((v) => values.add(names === DAYS ? v % 7 : v));
  }
  return { star: false, values: [...values].sort((a, b) => a - b) };
}

function number(text: string | undefined, names?: string[]): number {
  if (text === undefined) return NaN;
  const named = names?.indexOf(text) ?? -1;
  return named >= 0 ? named : /^\d+$/.test(text) ? Number(text) : NaN;
}

function range(from: number, to: number, step: number): number[] {
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, i) => from + i * step);
}
