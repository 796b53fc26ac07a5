import { type CronForm, formOf, writeCrons } from './form';

interface Trigger {
  cron: string;
  dst?: unknown;
}

/** Triggers that stand together in a document and are read as one: they differ in their times of day only. */
export interface Card {
  first: number;
  count: number;
  form?: CronForm;
}

/** Triggers as people made them: those that one form writes are one card. */
export function cardsOf(triggers: readonly Trigger[]): Card[] {
  const cards: Card[] = [];
  triggers.forEach((trigger, index) => {
    const form = formOf(trigger.cron);
    const last = cards.at(-1);
    const before = last && triggers[last.first];
    const joined =
      form && last?.form && JSON.stringify(before?.dst) === JSON.stringify(trigger.dst)
        ? join(last.form, form)
        : undefined;
    if (last && joined) Object.assign(last, { count: last.count + 1, form: joined });
    else cards.push({ first: index, count: 1, form });
  });
  return cards;
}

/** One form for two; undefined if they differ in more than their times, or if nobody would write them as one. */
function join(a: CronForm, b: CronForm): CronForm | undefined {
  if (['second', 'minute', 'period'].includes(a.cycle)) return undefined;
  if (JSON.stringify({ ...a, times: [] }) !== JSON.stringify({ ...b, times: [] })) return undefined;
  const made = { ...a, times: [...a.times, ...b.times] };
  const times = new Set(made.times.map((time) => JSON.stringify(time)));
  return times.size === made.times.length && writeCrons(made).length > writeCrons(a).length ? made : undefined;
}
