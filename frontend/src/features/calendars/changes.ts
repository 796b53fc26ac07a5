import { type CalendarDoc, DEFAULT_WEEKEND, type Entry, markDays, markedDays, type Marked, type Range } from './days';

/** Days in a row with the same change. Undefined means that the days have no entry. */
export interface DayChange extends Range {
  before?: Marked;
  after?: Marked;
}

/** The fields of a calendar beside its days. */
export const FIELDS = ['title', 'description', 'weekend'] as const;
/** A field of a calendar beside its days. */
export type CalendarField = (typeof FIELDS)[number];

/** The difference between two documents of a calendar. */
export interface Changes {
  days: readonly DayChange[];
  fields: readonly CalendarField[];
}

const sameMark = (a?: Marked, b?: Marked) => a?.kind === b?.kind && a?.name === b?.name;

/** The value of a field as text. */
export function fieldText(doc: CalendarDoc, field: CalendarField): string {
  return field === 'weekend' ? (doc.weekend ?? DEFAULT_WEEKEND).join(' ') : (doc[field] ?? '');
}

/** What changed from one document to another. Without `before`, every day with an entry was added. */
export function changesOf(before: CalendarDoc | undefined, after: CalendarDoc): Changes {
  const [old, now] = [before ? markedDays(before) : new Map<number, Marked>(), markedDays(after)];
  const days: DayChange[] = [];
  for (const day of [...new Set([...old.keys(), ...now.keys()])].sort((a, b) => a - b)) {
    const change = { before: old.get(day), after: now.get(day) };
    if (sameMark(change.before, change.after)) continue;
    const last = days.at(-1);
    if (last?.to === day - 1 && sameMark(last.before, change.before) && sameMark(last.after, change.after))
      last.to = day;
    else days.push({ from: day, to: day, ...change });
  }
  return {
    days,
    fields: before ? FIELDS.filter((field) => fieldText(before, field) !== fieldText(after, field)) : [],
  };
}

/** The number of changed days and fields. */
export function countChanges({ days, fields }: Changes): number {
  return days.reduce((sum, { from, to }) => sum + to - from + 1, fields.length);
}

/** The changed days. */
export function changedDays({ days }: Changes): ReadonlySet<number> {
  const all = new Set<number>();
  for (const { from, to } of days) for (let day = from; day <= to; day++) all.add(day);
  return all;
}

/** Whether two documents say the same. */
export function isSame(a: CalendarDoc, b: CalendarDoc): boolean {
  const entries = ({ holidays = [], workdays = [] }: CalendarDoc): Entry[][] => [holidays, workdays];
  return countChanges(changesOf(a, b)) === 0 && JSON.stringify(entries(a)) === JSON.stringify(entries(b));
}

/** Applies the changes from `base` to `mine` to the document `theirs`, which somebody else made from `base`. */
export function rebase(base: CalendarDoc, mine: CalendarDoc, theirs: CalendarDoc): CalendarDoc {
  const { days, fields } = changesOf(base, mine);
  let doc = theirs;
  for (const { from, to, after } of days) doc = markDays(doc, { from, to }, after);
  for (const field of fields) {
    doc = { ...doc, [field]: mine[field] };
    if (mine[field] === undefined) Reflect.deleteProperty(doc, field);
  }
  return doc;
}

/** What both changed since `base`, and differently. */
export function overlap(base: CalendarDoc, mine: CalendarDoc, theirs: CalendarDoc): Changes {
  const [own, others, between] = [changesOf(base, mine), changesOf(base, theirs), changesOf(theirs, mine)];
  const [ownDays, otherDays] = [changedDays(own), changedDays(others)];
  return {
    days: between.days.flatMap(({ from, to, ...change }) => {
      const both: DayChange[] = [];
      for (let day = from; day <= to; day++) {
        if (!ownDays.has(day) || !otherDays.has(day)) continue;
        const last = both.at(-1);
        if (last?.to === day - 1) last.to = day;
        else both.push({ from: day, to: day, ...change });
      }
      return both;
    }),
    fields: between.fields.filter((field) => own.fields.includes(field) && others.fields.includes(field)),
  };
}
