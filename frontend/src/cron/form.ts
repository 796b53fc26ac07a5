import { writeDuration } from '@/ui/duration';
import { cronFields, type FieldCron, readCron } from './read';

/** The units in which a trigger repeats. A `period` counts from the last moment instead of by the clock. */
export const CYCLES = ['second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year', 'period'] as const;
/** One of CYCLES. */
export type Cycle = (typeof CYCLES)[number];

/** A time of day. In a cycle of hours, `hour` counts from the start of the cycle. */
export interface CronTime {
  hour: number;
  minute: number;
  second: number;
}

/**
 * A trigger as a form. Fields that the cycle does not use keep their values, so changing the cycle and back loses
 * nothing.
 */
export interface CronForm {
  cycle: Cycle;
  /** The number of units between two turns: one of `steps(cycle)`. */
  every: number;
  /** In cycles of seconds and minutes: the offsets at which it is due, each below `every`. */
  starts: number[];
  /** In longer cycles: the times at which it is due, within the cycle of hours or within the day. */
  times: CronTime[];
  /** Days of the week, 0 is Sunday. */
  weekdays: number[];
  /** Days of the month; LAST_DAY is the last one. */
  days: number[];
  /** In a cycle of months or quarters the first month alone; in a cycle of years all months in which it is due. */
  months: number[];
  /** The length of a period, in seconds. */
  period: number;
}

/** The last day of the month, whichever it is: it comes after all days with a number. */
export const LAST_DAY = 32;

const STEPS: Partial<Record<Cycle, readonly number[]>> = {
  second: [1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30],
  minute: [1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30],
  hour: [1, 2, 3, 4, 6, 8, 12],
  month: [1, 2, 4, 6], // every third month is the cycle `quarter`
};

/** The allowed values of `every` in a cycle: they divide the next larger unit, as crons require. */
export const steps = (cycle: Cycle): readonly number[] => STEPS[cycle] ?? [1];

/** The form of a new trigger: every day at 03:00. */
export const defaultForm = (): CronForm => ({
  cycle: 'day',
  every: 1,
  starts: [0],
  times: [{ hour: 3, minute: 0, second: 0 }],
  weekdays: [1],
  days: [1],
  months: [1],
  period: 600,
});

/** Whether a form has all values that its crons need. */
export function isComplete(form: CronForm): boolean {
  switch (form.cycle) {
    case 'second':
    case 'minute':
      return form.starts.length > 0;
    case 'period':
      return form.period >= 1;
    case 'week':
      return form.times.length > 0 && form.weekdays.length > 0;
    case 'month':
    case 'quarter':
    case 'year':
      return form.times.length > 0 && form.days.length > 0 && form.months.length > 0;
    default:
      return form.times.length > 0;
  }
}

/** The form in another cycle; values that do not fit the cycle are replaced by its defaults. */
export function withCycle(form: CronForm, cycle: Cycle): CronForm {
  const short = (one: Cycle) => one === 'second' || one === 'minute';
  const every = short(cycle) && !short(form.cycle) ? 10 : steps(cycle).includes(form.every) ? form.every : 1;
  const months = cycle === 'quarter' || cycle === 'month' ? [1] : form.months;
  return withStep({ ...form, cycle, months }, every);
}

/** The form with another number of units in a turn; starts, times and months are moved into the turn. */
export function withStep(form: CronForm, every: number): CronForm {
  const times =
    form.cycle === 'hour' ? form.times.map((time) => ({ ...time, hour: time.hour % every, second: 0 })) : form.times;
  const unique = [
    ...new Map(
      times.map((time) => [`${String(time.hour)} ${String(time.minute)} ${String(time.second)}`, time]),
    ).values(),
  ];
  const months =
    form.cycle === 'month' ? form.months.slice(0, 1).map((month) => ((month - 1) % every) + 1) : form.months;
  return { ...form, every, starts: [...new Set(form.starts.map((start) => start % every))], times: unique, months };
}

/** The crons of a form: several where no single cron has exactly the form's times. */
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
      return writeTimes(form.times, (hours) => hours.map((n) => from(n, every)).join(','), '* * *');
    default:
      return writeTimes(form.times, (hours) => hours.join(','), writeDates(form));
  }
}

/** The last three fields of a form's crons: day of the month, month, day of the week. */
function writeDates({ cycle, every, weekdays, days, months }: CronForm): string {
  const first = Math.min(...months);
  const list = (values: readonly number[]) => sorted(values).join(',');
  const dayList = sorted(days)
    .map((day) => (day === LAST_DAY ? 'L' : String(day)))
    .join(',');
  switch (cycle) {
    case 'week':
      return `* * ${list(weekdays)}`;
    case 'month':
      return `${dayList} ${from(first, every, 1)} *`;
    case 'quarter':
      return `${dayList} ${from(first, 3, 1)} *`;
    case 'year':
      return `${dayList} ${list(months)} *`;
    default:
      return '* * *';
  }
}

const sorted = (values: readonly number[]) => [...new Set(values)].sort((a, b) => a - b);

function from(first: number, step: number, min = 0): string {
  if (step === 1) return '*';
  return first === min ? `*/${String(step)}` : `${String(first)}/${String(step)}`;
}

/** The fewest crons for times of day: times with the same minutes, or the same hours, share a cron. */
function writeTimes(times: readonly CronTime[], hoursText: (hours: number[]) => string, rest: string): string[] {
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

/** The form that writes a cron; undefined for a cron that no form writes. */
export function formOf(text: string): CronForm | undefined {
  const cron = readCron(text);
  const texts = cronFields(text);
  if (cron && 'every' in cron) return { ...defaultForm(), cycle: 'period', period: cron.every };
  if (!cron || !texts) return undefined;
  const [seconds, minutes, hours] = texts;
  const always = isEveryDay(cron) && cron.hour.star;
  const secondly = readCycle(seconds, steps('second'));
  if (secondly) return always && cron.minute.star ? { ...defaultForm(), cycle: 'second', ...secondly } : undefined;
  const [second, ...more] = cron.second.values;
  if (second === undefined || more.length > 0) return undefined;
  const minutely = readCycle(minutes, steps('minute'));
  if (minutely) return always && second === 0 ? { ...defaultForm(), cycle: 'minute', ...minutely } : undefined;
  return minutes.includes('/') ? undefined : clockForm(cron, hours, second);
}

const isEveryDay = ({ day, month, weekday }: FieldCron) => day.star && weekday.star && month.star;

/** A longer list of times than this is no longer shown as a form. */
const MOST_TIMES = 24;

/** The form of a cron that names minutes and one second: by hours, or by the times of some days. */
function clockForm(cron: FieldCron, hours: string, second: number): CronForm | undefined {
  const { minute, hour } = cron;
  const timesOf = (all: readonly number[]) =>
    all.flatMap((h) => minute.values.map((m) => ({ hour: h, minute: m, second })));
  const hourly = readCycle(hours, steps('hour'));
  if (hourly) {
    if (!isEveryDay(cron) || second !== 0) return undefined;
    return { ...defaultForm(), cycle: 'hour', every: hourly.every, times: timesOf(hourly.starts) };
  }
  if (hours.includes('/') || hour.star || hour.values.length * minute.values.length > MOST_TIMES) return undefined;
  return dateForm(cron, { ...defaultForm(), times: timesOf(hour.values) });
}

/**
 * A form with the days of a cron; undefined where the cron names both days of the month and of the week, or days by
 * other rules than the last of the month.
 */
function dateForm({ day, month, weekday }: FieldCron, form: CronForm): CronForm | undefined {
  const isLastDay = day.rules.every((rule) => rule.kind === 'lastDay' && rule.before === 0);
  if (!isLastDay || weekday.rules.length > 0) return undefined;
  const days = day.rules.length > 0 ? [...day.values, LAST_DAY] : day.values;
  if (!weekday.star) return day.star && month.star ? { ...form, cycle: 'week', weekdays: weekday.values } : undefined;
  if (day.star) return month.star ? form : undefined;
  return { ...form, days, ...monthsOf(month.star ? undefined : month.values) };
}

/** The cycle and months of a form, from the months of a cron: all, every nth from the first, or some of the year. */
function monthsOf(values?: readonly number[]): Pick<CronForm, 'cycle' | 'every' | 'months'> {
  if (!values || values.length === 12) return { cycle: 'month', every: 1, months: [1] };
  const [first = 1, second] = values;
  const step = second === undefined ? 12 : second - first;
  const even = values.length === 12 / step && first <= step && values.every((v, i) => v === first + i * step);
  if (even && step === 3) return { cycle: 'quarter', every: 1, months: [first] };
  if (even && step < 12) return { cycle: 'month', every: step, months: [first] };
  return { cycle: 'year', every: 1, months: [...values] };
}

/**
 * Reads a field that repeats by one step, such as `5/10,7/10`, or `*` for every value. Returns undefined for any other
 * field.
 */
function readCycle(text: string, allowed: readonly number[]): { every: number; starts: number[] } | undefined {
  const parts = text.split(',').map((part) => /^(\*|\d+)(?:\/(\d+))?$/.exec(part));
  const steps = new Set(
    parts.map((part) => (part?.[2] === undefined ? (part?.[1] === '*' ? 1 : NaN) : Number(part[2]))),
  );
  const [every = NaN] = steps;
  if (steps.size !== 1 || !allowed.includes(every)) return undefined;
  const starts = sorted(parts.map((part) => (part?.[1] === '*' ? 0 : Number(part?.[1]))));
  return starts.every((n) => n < every) ? { every, starts } : undefined;
}

interface Trigger {
  cron?: string;
  at?: string;
  start?: string;
  end?: string;
  jitter?: string;
  dst?: unknown;
  after?: unknown;
  serial?: boolean;
  calendar?: unknown;
  webhook?: string;
}

/** Whether two triggers differ in nothing but their crons. */
const differInCron = (a: Trigger, b: Trigger) =>
  a.at === b.at &&
  a.start === b.start &&
  a.end === b.end &&
  a.jitter === b.jitter &&
  JSON.stringify([a.dst, a.calendar, a.after, a.serial]) === JSON.stringify([b.dst, b.calendar, b.after, b.serial]);

/** Triggers that follow each other in a document and are edited as one, as they differ in their times of day alone. */
export interface TriggerGroup {
  /** The index of the first trigger. */
  first: number;
  /** How many triggers there are. */
  count: number;
  /** The form that writes their crons; undefined if no form does. */
  form?: CronForm;
}

/** Groups triggers: those that one form writes are one group. */
export function groupTriggers(triggers: readonly Trigger[]): TriggerGroup[] {
  const groups: TriggerGroup[] = [];
  triggers.forEach((trigger, index) => {
    const form = trigger.at || trigger.webhook !== undefined ? undefined : formOf(trigger.cron ?? '');
    const last = groups.at(-1);
    const before = last && triggers[last.first];
    const joined =
      form && last?.form && before && differInCron(before, trigger) ? joinForms(last.form, form) : undefined;
    if (last && joined) Object.assign(last, { count: last.count + 1, form: joined });
    else groups.push({ first: index, count: 1, form });
  });
  return groups;
}

/** Joins two forms. Undefined if they differ in more than their times, or if one cron can write the joined form. */
function joinForms(a: CronForm, b: CronForm): CronForm | undefined {
  if (['second', 'minute', 'period'].includes(a.cycle)) return undefined;
  if (JSON.stringify({ ...a, times: [] }) !== JSON.stringify({ ...b, times: [] })) return undefined;
  const joined = { ...a, times: [...a.times, ...b.times] };
  const times = new Set(joined.times.map((time) => JSON.stringify(time)));
  return times.size === joined.times.length && writeCrons(joined).length > writeCrons(a).length ? joined : undefined;
}
