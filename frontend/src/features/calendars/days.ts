// The days of a calendar. A day is a number: the days from 1 January 1970 (UTC) to it.

/** One day, or a range of days with both ends, in the document of a calendar. Dates are written 2026-10-01. */
export interface Entry {
  date?: string;
  from?: string;
  to?: string;
  name?: string;
}

/** The document of a calendar as JSON. */
export interface CalendarDoc {
  apiVersion: string;
  kind: string;
  name: string;
  title?: string;
  description?: string;
  /** The weekdays of the weekend; Saturday and Sunday if it is left out. */
  weekend?: string[];
  holidays?: Entry[];
  /** Make-up workdays. */
  workdays?: Entry[];
  /** Comments of the YAML by path. */
  '#'?: Record<string, unknown>;
}

/** What a day is. */
export type DayKind = 'workday' | 'weekend' | 'holiday' | 'makeUp';

/** What an entry makes of a day. */
export interface Marked {
  kind: 'holiday' | 'makeUp';
  name: string;
}

/** The days from one day to another, both included. */
export interface Range {
  from: number;
  to: number;
}

const DAY = 86_400_000;

/** The weekdays, from Monday, as they are written in the document. */
export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
/** The weekend of a document that names none. */
export const DEFAULT_WEEKEND: readonly string[] = ['sat', 'sun'];
/** The most days of one entry, as on the server. */
const MAX_SPAN = 366;

/** The day of a date; NaN if it is not a date. */
export const dayOf = (date: string): number =>
  /^\d{4}-\d\d-\d\d$/.test(date) ? Math.round(Date.parse(`${date}T00:00:00Z`) / DAY) : NaN;
/** The date of a day. */
export const dateOf = (day: number): string => new Date(day * DAY).toISOString().slice(0, 10);
/** The year of a day. */
export const yearOf = (day: number): number => new Date(day * DAY).getUTCFullYear();
/** The month of a day, from 0. */
const monthOf = (day: number): number => new Date(day * DAY).getUTCMonth();
/** The weekday of a day: 0 is Monday. 1 January 1970 was a Thursday. */
export const weekdayOf = (day: number): number => (((day + 3) % 7) + 7) % 7;
/** The first day of a month, which may be beyond December. */
export const firstOf = (year: number, month: number): number => Date.UTC(year, month, 1) / DAY;

/** The weeks of a month, from Monday to Sunday. Places before the first and after the last day are undefined. */
export function weeksOf(year: number, month: number): (number | undefined)[][] {
  const [first, end] = [firstOf(year, month), firstOf(year, month + 1)];
  const weeks: (number | undefined)[][] = [];
  for (let monday = first - weekdayOf(first); monday < end; monday += 7)
    weeks.push(Array.from({ length: 7 }, (_, i) => (monday + i < first || monday + i >= end ? undefined : monday + i)));
  return weeks;
}

/** The same day of another month, or its last day if that month is shorter. */
export function addMonths(day: number, months: number): number {
  const [year, month] = [yearOf(day), monthOf(day)];
  return Math.min(firstOf(year, month + months) + day - firstOf(year, month), firstOf(year, month + months + 1) - 1);
}

/** The days of an entry; undefined if its dates cannot be read. */
export function rangeOf({ date, from, to }: Entry): Range | undefined {
  const range = { from: dayOf(date ?? from ?? ''), to: dayOf(date ?? to ?? '') };
  return range.from <= range.to ? range : undefined;
}

/** The days with an entry. */
export function markedDays(doc: CalendarDoc): ReadonlyMap<number, Marked> {
  const days = new Map<number, Marked>();
  for (const [kind, list] of [
    ['holiday', doc.holidays],
    ['makeUp', doc.workdays],
  ] as const)
    for (const entry of list ?? []) {
      const range = rangeOf(entry);
      const marked = { kind, name: entry.name ?? '' };
      for (let day = range?.from ?? 0; range && day <= range.to; day++) days.set(day, marked);
    }
  return days;
}

/** What the weekday makes of a day without an entry. */
export function kindByRule({ weekend }: CalendarDoc, day: number): 'workday' | 'weekend' {
  return (weekend ?? DEFAULT_WEEKEND).includes(WEEKDAYS[weekdayOf(day)] ?? '') ? 'weekend' : 'workday';
}

/** How many days of a year are of each kind. */
export function countDays(doc: CalendarDoc, year: number): Record<DayKind, number> {
  const counts = { workday: 0, weekend: 0, holiday: 0, makeUp: 0 };
  const marked = markedDays(doc);
  for (let day = firstOf(year, 0); day < firstOf(year + 1, 0); day++)
    counts[marked.get(day)?.kind ?? kindByRule(doc, day)]++;
  return counts;
}

/** The first and the last year with an entry. */
export function yearsOf(doc: CalendarDoc): [first: number, last: number] | undefined {
  const ranges = [...(doc.holidays ?? []), ...(doc.workdays ?? [])].flatMap((entry) => rangeOf(entry) ?? []);
  if (ranges.length === 0) return undefined;
  return [yearOf(Math.min(...ranges.map(({ from }) => from))), yearOf(Math.max(...ranges.map(({ to }) => to)))];
}

/** The entry of a range. */
const entryOf = ({ from, to }: Range, name: string): Entry => ({
  ...(from === to ? { date: dateOf(from) } : { from: dateOf(from), to: dateOf(to) }),
  ...(name ? { name } : {}),
});

/** Marks a range of days, or removes their entries without `marked`. Entries of other days stay as they are. */
export function markDays(doc: CalendarDoc, range: Range, marked?: Marked): CalendarDoc {
  const [holidays, workdays] = (['holiday', 'makeUp'] as const).map((kind) => {
    const list = without((kind === 'holiday' ? doc.holidays : doc.workdays) ?? [], range);
    return marked?.kind === kind ? withEntries(list, range, marked.name) : list;
  });
  return withLists(doc, holidays ?? [], workdays ?? []);
}

/** The entries without the days of a range: entries that overlap it become shorter. */
const without = (list: readonly Entry[], range: Range): Entry[] =>
  list.flatMap((entry) => {
    const own = rangeOf(entry);
    if (!own || own.to < range.from || own.from > range.to) return [entry];
    return [
      { from: own.from, to: range.from - 1 },
      { from: range.to + 1, to: own.to },
    ]
      .filter(({ from, to }) => from <= to)
      .map((rest) => entryOf(rest, entry.name ?? ''));
  });

/** Adds a range to the entries, and joins it with adjacent entries of the same name. Its days must be free. */
function withEntries(list: readonly Entry[], range: Range, name: string): Entry[] {
  const all = { ...range };
  const rest = list.filter((entry) => {
    const own = rangeOf(entry);
    if (!own || (entry.name ?? '') !== name || (own.to !== range.from - 1 && own.from !== range.to + 1)) return true;
    const joined = { from: Math.min(all.from, own.from), to: Math.max(all.to, own.to) };
    if (joined.to - joined.from >= MAX_SPAN) return true;
    Object.assign(all, joined);
    return false;
  });
  const entries: Entry[] = [];
  for (let from = all.from; from <= all.to; from += MAX_SPAN)
    entries.push(entryOf({ from, to: Math.min(all.to, from + MAX_SPAN - 1) }, name));
  return sorted([...rest, ...entries]);
}

const startOf = (entry: Entry) => entry.date ?? entry.from ?? '';
const sorted = (list: readonly Entry[]): Entry[] =>
  list.toSorted((a, b) => (startOf(a) < startOf(b) ? -1 : startOf(a) > startOf(b) ? 1 : 0));

/** The document with other entries. Comments follow the entries that stay; others move to the nearest entry. */
function withLists(doc: CalendarDoc, holidays: Entry[], workdays: Entry[]): CalendarDoc {
  const next: CalendarDoc = { ...doc, holidays, workdays };
  const comments = doc['#'];
  if (comments) {
    next['#'] = {};
    for (const [path, comment] of Object.entries(comments)) {
      const [, list, index = '0', rest = ''] = /^(holidays|workdays)\[(\d+)\](.*)$/.exec(path) ?? [];
      const [before, after] = list === 'holidays' ? [doc.holidays, holidays] : [doc.workdays, workdays];
      const entry = before?.[Number(index)];
      const place = entry ? after.indexOf(entry) : -1;
      if (list === undefined) next['#'][path] = comment;
      else if (place >= 0) next['#'][`${list}[${String(place)}]${rest}`] = comment;
      else if (after.length > 0) {
        const nearest = `${list}[${String(Math.min(Number(index), after.length - 1))}]`;
        next['#'][nearest] ??= comment;
      }
    }
  }
  if (holidays.length === 0) delete next.holidays;
  if (workdays.length === 0) delete next.workdays;
  return next;
}

/** The days that a file has. */
export interface FileDays {
  holidays: readonly Entry[];
  workdays: readonly Entry[];
}

/** The years in which entries of a file begin. An import replaces the entries of these years. */
export function yearsOfFile({ holidays, workdays }: FileDays): string[] {
  return [...new Set([...holidays, ...workdays].map((entry) => startOf(entry).slice(0, 4)))].sort();
}

/** The document with the days of a file in place of its own of the same years. Entries of other years stay. */
export function importDays(doc: CalendarDoc, file: FileDays): CalendarDoc {
  const years = yearsOfFile(file);
  const others = (list: readonly Entry[] = []) => list.filter((entry) => !years.includes(startOf(entry).slice(0, 4)));
  return withLists(
    doc,
    sorted([...others(doc.holidays), ...file.holidays]),
    sorted([...others(doc.workdays), ...file.workdays]),
  );
}
