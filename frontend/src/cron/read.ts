/** A day that depends on the month. Weekdays are numbers from 0 for Sunday. */
export type DayRule =
  /** `L` and `L-2`: so many days before the last day of the month. */
  | { kind: 'lastDay'; before: number }
  /** `LW`: the last day from Monday to Friday. */
  | { kind: 'lastWorkday' }
  /** `15W`: the day from Monday to Friday that is nearest to a day of the month. */
  | { kind: 'nearWorkday'; day: number }
  /** `5#2`: a weekday for the nth time in the month. */
  | { kind: 'nthWeekday'; weekday: number; nth: number }
  /** `5L`: a weekday for the last time in the month. */
  | { kind: 'lastWeekday'; weekday: number };

/**
 * The values of one field of a cron. `star` is true if the field is `*`, so that it names no value in particular. Only
 * the fields of days have rules.
 */
export interface Field {
  star: boolean;
  values: number[];
  rules: DayRule[];
}

/** A cron that names moments by six fields. */
export interface FieldCron {
  second: Field;
  minute: Field;
  hour: Field;
  day: Field;
  month: Field;
  weekday: Field;
}

/** A cron: by fields, or due again every so many seconds. */
export type Cron = { every: number } | FieldCron;

/** The six fields of a cron as they are written: second, minute, hour, day of the month, month, day of the week. */
export type FieldTexts = [second: string, minute: string, hour: string, day: string, month: string, weekday: string];

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

/** The allowed values of a field. */
interface Unit {
  min: number;
  max: number;
  names?: readonly string[];
  /** `?` is allowed and means `*`. */
  question?: boolean;
  /** Days of the week: 7 is Sunday as 0 is, and a range may end with Sunday. */
  week?: boolean;
  /** Reads a part as a rule; undefined for any other part. */
  rule?: (part: string) => DayRule | undefined;
}

const SIXTY: Unit = { min: 0, max: 59 };
const HOUR: Unit = { min: 0, max: 23 };
const DAY: Unit = { min: 1, max: 31, question: true, rule: readMonthRule };
const MONTH: Unit = { min: 1, max: 12, names: MONTHS };
const WEEKDAY: Unit = { min: 0, max: 6, names: DAYS, question: true, week: true, rule: readWeekRule };

/**
 * Reads a cron as the server does; undefined for a text that is no cron, or a cron that this reader does not support.
 */
export function readCron(text: string): Cron | undefined {
  const clean = text.trim().toLowerCase();
  const every = /^@every\s+((?:\d+[dhms])+)$/.exec(clean);
  if (every) {
    const parts = [...(every[1] ?? '').matchAll(/(\d+)([dhms])/g)];
    const seconds = parts.reduce((sum, [, n, unit]) => sum + Number(n) * (SECONDS[unit ?? ''] ?? NaN), 0);
    return seconds > 0 ? { every: seconds } : undefined;
  }
  const texts = cronFields(text);
  if (!texts) return undefined;
  const [second, minute, hour, day, month, weekday] = [
    readField(texts[0], SIXTY),
    readField(texts[1], SIXTY),
    readField(texts[2], HOUR),
    readField(texts[3], DAY),
    readField(texts[4], MONTH),
    readField(texts[5], WEEKDAY),
  ];
  return second && minute && hour && day && month && weekday
    ? { second, minute, hour, day, month, weekday }
    : undefined;
}

/** The six fields of a cron as they are written, aliases such as `@daily` replaced; undefined if there are not six. */
export function cronFields(text: string): FieldTexts | undefined {
  const clean = text.trim().toLowerCase();
  const fields = (ALIASES[clean] ?? clean).split(/\s+/);
  if (fields.length === 5) fields.unshift('0');
  return fields.length === 6 ? (fields as FieldTexts) : undefined;
}

function readField(text: string, unit: Unit): Field | undefined {
  if (!text) return undefined;
  if (text === '*' || text === '*/1' || (unit.question && text === '?'))
    return { star: true, values: range(unit.min, unit.max, 1), rules: [] };
  const values = new Set<number>();
  const rules: DayRule[] = [];
  for (const part of text.split(',')) {
    const rule = unit.rule?.(part);
    if (rule) {
      rules.push(rule);
      continue;
    }
    const found = readPart(part, unit);
    if (!found) return undefined;
    found.forEach((value) => values.add(value));
  }
  return { star: false, values: [...values].sort((a, b) => a - b), rules };
}

/** Reads `L`, `L-2`, `LW` and `15W`. */
function readMonthRule(part: string): DayRule | undefined {
  if (part === 'lw') return { kind: 'lastWorkday' };
  const [, last, back, near] = /^(?:(l)(?:-(\d{1,2}))?|(\d{1,2})w)$/.exec(part) ?? [];
  const within = (n: number, most: number) => n >= 1 && n <= most;
  if (last !== undefined && back === undefined) return { kind: 'lastDay', before: 0 };
  if (back !== undefined && within(Number(back), 30)) return { kind: 'lastDay', before: Number(back) };
  if (near !== undefined && within(Number(near), 31)) return { kind: 'nearWorkday', day: Number(near) };
  return undefined;
}

/** Reads `5#2` and `5L`. */
function readWeekRule(part: string): DayRule | undefined {
  const [, day, nth] = /^([0-7]|[a-z]{3})(?:#([1-5])|l)$/.exec(part) ?? [];
  const weekday = readNumber(day, DAYS);
  if (Number.isNaN(weekday)) return undefined;
  return nth === undefined
    ? { kind: 'lastWeekday', weekday: weekday % 7 }
    : { kind: 'nthWeekday', weekday: weekday % 7, nth: Number(nth) };
}

/** The values of one part of a field: `5`, `mon-fri`, `*` or `5-30` with a step behind it, such as `/10`. */
function readPart(part: string, unit: Unit): number[] | undefined {
  const found = /^(?:(\*)|(\d{1,2}|[a-z]{3})(?:-(\d{1,2}|[a-z]{3}))?)(?:\/(\d{1,2}))?$/.exec(part);
  if (!found) return undefined;
  const [, star, low, high, stepText] = found;
  const step = stepText === undefined ? 1 : Number(stepText);
  const from = star ? unit.min : readNumber(low, unit.names);
  const to = lastOf({ from, high, open: star !== undefined || stepText !== undefined }, unit);
  const last = unit.week ? 7 : unit.max;
  if (!(step >= 1) || !(from >= unit.min && from <= last) || !(to >= from && to <= last)) return undefined;
  return range(from, to, step).map((value) => (unit.week ? value % 7 : value));
}

/** The value with which a part ends: `high` if it is written, else the unit's last for an open part, else its first. */
function lastOf({ from, high, open }: { from: number; high: string | undefined; open: boolean }, unit: Unit): number {
  if (high === undefined) return open ? unit.max : from;
  const to = readNumber(high, unit.names);
  return unit.week && to === 0 && from > 0 ? 7 : to; // fri-sun
}

function readNumber(text: string | undefined, names?: readonly string[]): number {
  if (text === undefined) return NaN;
  const named = names?.indexOf(text) ?? -1;
  return named >= 0 ? named : /^\d+$/.test(text) ? Number(text) : NaN;
}

function range(from: number, to: number, step: number): number[] {
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, i) => from + i * step);
}
