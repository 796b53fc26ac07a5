import type { TFunction } from 'i18next';
import { type DayRule, type Field, type FieldCron, readCron } from './read';

type T = TFunction<'cron'>;

/** How many times or days a sentence may list: a longer one is no easier to read than the cron. */
const LONGEST_LIST = 4;

/**
 * Describes a cron in a language, such as `03:20 every day`, without its zone. Returns undefined if no short sentence
 * describes the cron correctly.
 */
export function describeCron(text: string, t: T, language: string): string | undefined {
  const cron = readCron(text);
  if (!cron) return undefined;
  if ('every' in cron) return t('every', { span: period(cron.every, t) });
  const times = clockTimes(cron);
  const days = describeDays(cron, t, language);
  if (days === undefined) return undefined;
  if (times) {
    return withMonths(cron, t('at', { times: list(times, language), days: days || t('everyDay') }), t, language);
  }
  const cycle = describeCycle(cron, t, language);
  if (cycle === undefined) return undefined;
  return withMonths(cron, days ? t('cycle', { cycle, days }) : cycle, t, language);
}

/** A trigger of a document. */
interface Trigger {
  cron?: string;
  at?: string;
  every?: string;
  from?: string;
  start?: string;
  end?: string;
  after?: { schedule: string }[];
  webhook?: string;
  calendar?: { name: string; on?: string; otherwise?: string; workday?: number };
}

/** The text of a trigger. */
interface TriggerText {
  text: string;
  /** It describes the trigger; otherwise it contains the cron itself, which has no description. */
  described: boolean;
}

/** The text of when a trigger is due, without its zone. A trigger may be given as lists and ticks name it. */
export function describeTrigger(trigger: Trigger | string, t: T, language: string): TriggerText {
  const { cron = '', at, after = [], webhook, ...rest } = typeof trigger === 'string' ? readTrigger(trigger) : trigger;
  const { every, from: base, start, end } = rest;
  if (at) return { text: t('once', { at: at.replace('T', ' ') }), described: true };
  if (webhook !== undefined) return { text: t('webhook', { name: webhook || '…' }), described: true };
  if (every || base) return { text: withBounds(describeDelay(every, t), start, end, t), described: true };
  const names = list(
    after.map(({ schedule }) => schedule || '…'),
    language,
  );
  if (cron.trim() === '') return { text: names ? t('after', { names }) : t('noTime'), described: true };
  const description = describeCron(cron, t, language);
  const words = describeCalendar(description ?? cron, rest.calendar, t);
  const text = withBounds(words, start, end, t);
  return { text: names ? t('cronAfter', { words: text, names }) : text, described: description !== undefined };
}

/** Adds to the words of a trigger when it begins and ends. */
function withBounds(words: string, start: string | undefined, end: string | undefined, t: T): string {
  const [from, to] = [start?.replace('T', ' '), end?.replace('T', ' ')];
  const key = from ? (to ? 'within' : 'notBefore') : to && 'notAfter';
  return key ? t(key, { words, from, to }) : words;
}

/** Describes a trigger that counts from the end of the last batch; its time may be missing while it is edited. */
function describeDelay(every: string | undefined, t: T): string {
  const cron = readCron(`@every ${every ?? ''}`);
  if (!every) return t('noTime');
  return t('delay', { span: cron && 'every' in cron ? period(cron.every, t) : every });
}

/** Reads the text by which the server names a trigger, such as `0 3 * * * from 2027-01-01 until 2027-01-31`. */
function readTrigger(text: string): Trigger {
  const [, at, after, webhook, every, cron, start, end] =
    /^(?:at (.+)|after (.+)|webhook (.+)|(?:every (\S+) from end|(.*?))(?: from (.+?))?(?: until (.+))?)$/.exec(text) ??
    [];
  return { cron, at, every, start, end, webhook, after: after?.split(', ').map((schedule) => ({ schedule })) };
}

/** Adds to the words of a cron on which days of a calendar it is due. */
function describeCalendar(words: string, calendar: Trigger['calendar'], t: T): string {
  const { name, on, otherwise, workday } = calendar ?? {};
  if (!name || on === 'all') return words;
  if (workday === 1 || workday === -1)
    return t(workday === 1 ? 'calendar.first' : 'calendar.last', { words, calendar: name });
  if (workday) return t('calendar.nth', { words, calendar: name, n: workday });
  const holidays = on === 'holidays';
  if (otherwise === 'next') return t(holidays ? 'calendar.nextHoliday' : 'calendar.next', { words, calendar: name });
  if (otherwise === 'previous')
    return t(holidays ? 'calendar.previousHoliday' : 'calendar.previous', { words, calendar: name });
  return t(holidays ? 'calendar.holidays' : 'calendar.workdays', { words, calendar: name });
}

const two = (n: number) => String(n).padStart(2, '0');

/** The times of day at which a cron is due; undefined if they are many or it is not due at fixed times. */
function clockTimes({ second, minute, hour }: FieldCron): string[] | undefined {
  const [s] = second.values;
  if (
    second.values.length !== 1 ||
    s === undefined ||
    hour.star ||
    hour.values.length * minute.values.length > LONGEST_LIST
  )
    return undefined;
  return hour.values.flatMap((h) => minute.values.map((m) => `${two(h)}:${two(m)}${s ? `:${two(s)}` : ''}`));
}

/** Describes the cycle within a day, such as `every 15 min`. */
function describeCycle({ second, minute, hour }: FieldCron, t: T, language: string): string | undefined {
  if (second.values.length > 1) {
    if (hour.values.length !== 24 || minute.values.length !== 60) return undefined;
    const step = cycleOf(second.values, 60);
    return step?.first === 0 ? t('every', { span: period(step.step, t) }) : undefined;
  }
  if (second.values[0] !== 0) return undefined;
  const cycle = minute.values.length > 1 ? cycleOf(minute.values, 60) : undefined;
  return hour.values.length === 24
    ? describeEveryHour(minute, cycle, t, language)
    : describeSomeHours(minute, hour, cycle, t);
}

/** Equal steps within a unit, from the first value on. */
interface Steps {
  step: number;
  first: number;
}

/** For crons that are due on the minute in each hour. */
function describeEveryHour(minute: Field, cycle: Steps | undefined, t: T, language: string): string | undefined {
  if (cycle) {
    const every = t('every', { span: period(cycle.step * 60, t) });
    return cycle.first === 0 ? every : t('from', { every, first: `:${two(cycle.first)}` });
  }
  if (minute.values.length > LONGEST_LIST) return undefined;
  return t('hourly', {
    minutes: list(
      minute.values.map((m) => `:${two(m)}`),
      language,
    ),
  });
}

/** For crons that are due on the minute in some hours of the day. */
function describeSomeHours(minute: Field, hour: Field, cycle: Steps | undefined, t: T): string | undefined {
  const [first, last] = [hour.values[0] ?? 0, hour.values.at(-1) ?? 0];
  const inOneRun = last - first + 1 === hour.values.length && hour.values.length > 1;
  const between = (seconds: number, from: number, to: number) =>
    t('between', {
      every: t('every', { span: period(seconds, t) }),
      first: `${two(first)}:${two(from)}`,
      last: `${two(last)}:${two(to)}`,
    });
  if (inOneRun && cycle) return between(cycle.step * 60, cycle.first, minute.values.at(-1) ?? 0);
  const [m] = minute.values;
  if (minute.values.length !== 1 || m === undefined) return undefined;
  if (inOneRun) return between(3600, m, m);
  const hours = cycleOf(hour.values, 24);
  return hours
    ? t('from', { every: t('every', { span: period(hours.step * 3600, t) }), first: `${two(hours.first)}:${two(m)}` })
    : undefined;
}

/** The steps of values that fill a unit of that size evenly; undefined if they do not. */
function cycleOf(values: number[], size: number): Steps | undefined {
  const [first, second] = values;
  if (first === undefined || second === undefined) return undefined;
  const step = second - first;
  const even =
    size % step === 0 &&
    first < step &&
    values.length === size / step &&
    values.every((v, i) => v === first + i * step);
  return even ? { step, first } : undefined;
}

/** The days on which a cron is due; empty for every day, undefined where no sentence is correct. */
function describeDays({ day, weekday, month }: FieldCron, t: T, language: string): string | undefined {
  // A cron that names both is due on a day that matches either, which no short sentence says.
  if (!day.star && !weekday.star) return undefined;
  const rules = [...day.rules, ...weekday.rules];
  if (rules.length > 0) return describeRules(day.star ? weekday.values.length : day.values, rules, t, language);
  if (!day.star) return monthDays(day.values, month.values.length === 1 ? month.values[0] : undefined, t, language);
  if (weekday.star || weekday.values.length === 7) return '';
  const key = weekday.values.join('');
  if (key === '12345') return t('weekdays');
  if (key === '06') return t('weekends');
  const names = new Intl.DateTimeFormat(language, { weekday: 'short', timeZone: 'UTC' });
  const monday = weekday.values.map((v) => (v + 6) % 7).sort((a, b) => a - b);
  return t('onDays', {
    days: list(
      monday.map((v) => names.format(Date.UTC(2024, 0, 1 + v))),
      language,
    ),
  });
}

/**
 * Describes days that depend on the month, after plain days of the month. For days of the week, `plain` is the number
 * of plain ones. Undefined if there are any, since a list of both would be unclear.
 */
function describeRules(
  plain: readonly number[] | number,
  rules: readonly DayRule[],
  t: T,
  language: string,
): string | undefined {
  if (typeof plain === 'number') return plain > 0 ? undefined : describeRules([], rules, t, language);
  if (plain.length + rules.length > LONGEST_LIST) return undefined;
  const ordinal = (count: number) => t('day', { count, ordinal: true });
  const names = new Intl.DateTimeFormat(language, { weekday: 'short', timeZone: 'UTC' });
  const weekdayName = (n: number) => names.format(Date.UTC(2024, 0, 7 + n));
  const ruleText = (rule: DayRule): string => {
    switch (rule.kind) {
      case 'lastDay':
        return rule.before === 0
          ? t('rule.lastDay')
          : t('rule.fromEnd', { nth: t('nth', { count: rule.before + 1, ordinal: true }) });
      case 'lastWorkday':
        return t('rule.lastWorkday');
      case 'nearWorkday':
        return t('rule.nearWorkday', { day: ordinal(rule.day) });
      case 'nthWeekday':
        return t('rule.nthWeekday', {
          nth: t('nth', { count: rule.nth, ordinal: true }),
          weekday: weekdayName(rule.weekday),
        });
      case 'lastWeekday':
        return t('rule.lastWeekday', { weekday: weekdayName(rule.weekday) });
    }
  };
  return t('ruleDays', { days: list([...plain.map(ordinal), ...rules.map(ruleText)], language) });
}

function monthDays(days: number[], month: number | undefined, t: T, language: string): string | undefined {
  const name = (d: number) => t('day', { count: d, ordinal: true });
  const run = days.length > 2 && (days.at(-1) ?? 0) - (days[0] ?? 0) + 1 === days.length;
  if (month !== undefined && days.length === 1 && days[0] !== undefined) {
    if (new Date(Date.UTC(2024, month - 1, days[0])).getUTCMonth() !== month - 1) return undefined; // 31 February
    const date = new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, {
      month: 'short',
      day: 'numeric',
      timeZone: 'UTC',
    });
    return t('yearly', { date: date.format(Date.UTC(2024, month - 1, days[0])) });
  }
  if (run) return t('monthRange', { first: name(days[0] ?? 1), last: name(days.at(-1) ?? 31) });
  if (days.length > LONGEST_LIST) return undefined;
  return t('monthDays', { days: list(days.map(name), language) });
}

/** Adds the months to a sentence, unless the cron is due in all of them or the sentence has its one date. */
function withMonths({ month, day }: FieldCron, sentence: string, t: T, language: string): string | undefined {
  const isOneDate = month.values.length === 1 && !day.star && day.values.length === 1 && day.rules.length === 0;
  if (month.values.length === 12 || isOneDate) return sentence;
  if (month.values.length > LONGEST_LIST) return undefined;
  const names = new Intl.DateTimeFormat(language, { month: 'short', timeZone: 'UTC' });
  return t('months', {
    words: sentence,
    months: list(
      month.values.map((m) => names.format(Date.UTC(2024, m - 1, 1))),
      language,
    ),
  });
}

function list(items: string[], language: string): string {
  return new Intl.ListFormat(language, { type: 'conjunction' }).format(items);
}

/** A period of whole seconds: `15 min`, `1 h 30 min`. A single unit has a text of its own: `hour`, not `1 h`. */
function period(seconds: number, t: T): string {
  const parts: string[] = [];
  let rest = seconds;
  for (const [unit, size] of [
    ['d', 86_400],
    ['h', 3600],
    ['m', 60],
    ['s', 1],
  ] as const) {
    const n = Math.floor(rest / size);
    rest %= size;
    if (n > 0) parts.push(n === 1 && rest === 0 && parts.length === 0 ? t(`one.${unit}`) : t(`many.${unit}`, { n }));
  }
  return parts.join(' ').replace(/ {2}/g, ' ');
}
