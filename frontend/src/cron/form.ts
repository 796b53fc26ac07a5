import { writeDuration } from '@/ui/duration';
import { cronFields, readCron } from './read';

/** The units that a trigger comes round in; `period` counts from its last moment instead of by the clock. */
export const CYCLES = ['second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year', 'period'] as const;
export type Cycle = (typeof CYCLES)[number];

/** A time of day. In a cycle of hours, `hour` counts from the cycle's beginning. */
export interface CronTime {
  hour: number;
  minute: number;
  second: number;
}

/** A trigger as a form. What its cycle does not use is left as it is, so that going from one cycle to another loses nothing. */
export interface CronForm {
  cycle: Cycle;
  /** Each so many of them: one of `steps(cycle)`. */
  every: number;
  /** In cycles of seconds and minutes: where it begins, each below `every`. */
  starts: number[];
  /** In longer cycles: the times, of an hour's cycle or of the day. */
  times: CronTime[];
  /** Days of the week, 0 is Sunday. */
  weekdays: number[];
  /** Days of the month. */
  days: number[];
  /** In a cycle of months or quarters its first month; in one of years all of its months. */
  months: number[];
  /** Length of a period in seconds. */
  period: number;
}

const STEPS: Partial<Record<Cycle, readonly number[]>> = {
  second: [1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30],
  minute: [1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30],
  hour: [1, 2, 3, 4, 6, 8, 12],
  month: [1, 2, 4, 6], // each third is a quarter
};

/** How many of a unit a cron can go round in: those that divide the next larger one. */
export const steps = (cycle: Cycle): readonly number[] => STEPS[cycle] ?? [1];

/** What a new trigger begins with. */
export const fresh = (): CronForm => ({
  cycle: 'day',
  every: 1,
  starts: [0],
  times: [{ hour: 3, minute: 0, second: 0 }],
  weekdays: [1],
  days: [1],
  months: [1],
  period: 600,
});

/** The crons that a form stands for. They are several where no single one has all of its times. */
export function writeCrons(form: CronForm): string[] {
  const { cycle, every } = form;
  const starts = sorted(form.starts)
    .map((n) => from(n, every))
    .join(',');
  switch (cycle) {
    case 'period':
      return [`@every ${writeDuration(form.period * 1000)}`];
    case 'second':
      return [`${starts} * * * * *`];
    case 'minute':
      return [`${starts} * * * *`];
    case 'hour':
      return clocks(form.times, (hours) => hours.map((n) => from(n, every)).join(','), '* * *');
    default:
      return clocks(form.times, (hours) => hours.join(','), dates(form));
  }
}

function dates({ cycle, every, weekdays, days, months }: CronForm): string {
  const first = Math.min(...months);
  const list = (values: readonly number[]) => sorted(values).join(',');
  switch (cycle) {
    case 'week':
      return `* * ${list(weekdays)}`;
    case 'month':
      return `${list(days)} ${from(first, every, 1)} *`;
    case 'quarter':
      return `${list(days)} ${from(first, 3, 1)} *`;
    case 'year':
      return `${list(days)} ${list(months)} *`;
    default:
      return '* * *';
  }
}

const sorted = (values: readonly number[]) => [...new Set(values)].sort((a, b) => a - b);

function from(first: number, step: number, min = 0): string {
  if (step === 1) return '*';
  return first === min ? `*/${String(step)}` : `${String(first)}/${String(step)}`;
}

/** The fewest crons for times of day: those of the same minutes and those of the same hours are one. */
function clocks(times: readonly CronTime[], hoursText: (hours: number[]) => string, rest: string): string[] {
  const byMinute = grouped(times, (time) => `${String(time.second)} ${String(time.minute)}`);
  const rows = byMinute.map((all) => ({
    second: all[0]?.second ?? 0,
    minute: all[0]?.minute ?? 0,
    hours: sorted(all.map((time) => time.hour)),
  }));
  return grouped(rows, (row) => `${String(row.second)} ${row.hours.join()}`).map((same) => {
    const [{ second, hours } = { second: 0, hours: [0] }] = same;
    const minutes = sorted(same.map((row) => row.minute)).join(',');
    return `${second ? `${String(second)} ` : ''}${minutes} ${hoursText(hours)} ${rest}`;
  });
}

function grouped<T>(items: readonly T[], key: (item: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(key(item), [...(groups.get(key(item)) ?? []), item]);
  return [...groups.values()];
}

/** The form that writes a cron; undefined for one that no form writes. */
export function formOf(text: string): CronForm | undefined {
  const cron = readCron(text);
  if (!cron) return undefined;
  if ('every' in cron) return { ...fresh(), cycle: 'period', period: cron.every };
  const [seconds = '', minutes = '', hours = ''] = cronFields(text) ?? [];
  const { second, minute, hour, day, month, weekday } = cron;
  const anyDay = day.star && weekday.star && month.star;
  const anyHour = hour.star;
  const secondly = round(seconds, steps('second'));
  if (secondly) return anyDay && anyHour && minute.star ? { ...fresh(), cycle: 'second', ...secondly } : undefined;
  const [at] = second.values;
  if (second.values.length !== 1 || at === undefined) return undefined;
  const minutely = round(minutes, steps('minute'));
  if (minutely) return anyDay && anyHour && at === 0 ? { ...fresh(), cycle: 'minute', ...minutely } : undefined;
  if (minutes.includes('/')) return undefined;
  const timesOf = (all: readonly number[]) =>
    all.flatMap((h) => minute.values.map((m) => ({ hour: h, minute: m, second: at })));
  const hourly = round(hours, steps('hour'));
  if (hourly)
    return anyDay && at === 0
      ? { ...fresh(), cycle: 'hour', every: hourly.every, times: timesOf(hourly.starts) }
      : undefined;
  if (hours.includes('/') || hour.star || hour.values.length * minute.values.length > MOST_TIMES) return undefined;
  const clock = { ...fresh(), times: timesOf(hour.values) };
  if (anyDay) return clock;
  if (!weekday.star) return day.star && month.star ? { ...clock, cycle: 'week', weekdays: weekday.values } : undefined;
  if (day.star) return undefined;
  return { ...clock, days: day.values, ...monthsOf(month.star ? undefined : month.values) };
}

/** More times than these are no longer read as a list. */
const MOST_TIMES = 24;

/** The months of a cron: all of them, each nth from the first, or some of the year. */
function monthsOf(values?: readonly number[]): Pick<CronForm, 'cycle' | 'every' | 'months'> {
  if (!values || values.length === 12) return { cycle: 'month', every: 1, months: [1] };
  const [first = 1, second] = values;
  const step = second === undefined ? 12 : second - first;
  const even = values.length === 12 / step && first <= step && values.every((v, i) => v === first + i * step);
  if (even && step === 3) return { cycle: 'quarter', every: 1, months: [first] };
  if (even && step < 12) return { cycle: 'month', every: step, months: [first] };
  return { cycle: 'year', every: 1, months: [...values] };
}

/** A field that goes round: `*`, each tenth, `5/10,7/10`. */
function round(text: string, allowed: readonly number[]): { every: number; starts: number[] } | undefined {
  const parts = text.split(',').map((part) => /^(\*|\d+)(?:\/(\d+))?$/.exec(part));
  const steps = new Set(
    parts.map((part) => (part?.[2] === undefined ? (part?.[1] === '*' ? 1 : NaN) : Number(part[2]))),
  );
  const [every = NaN] = steps;
  if (steps.size !== 1 || !allowed.includes(every)) return undefined;
  const starts = sorted(parts.map((part) => (part?.[1] === '*' ? 0 : Number(part?.[1]))));
  return starts.every((n) => n < every) ? { every, starts } : undefined;
}
