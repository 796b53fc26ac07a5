import type { TFunction } from 'i18next';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { cronWords } from '@/cron';
import { type Doc, type DocFault, parseDuration } from '@/document';
import { type OfferedHandler, useEditor } from '../context';
import { placeOf } from '../inspector/faults';
import { schemaForm } from '../inspector/schema/model';

/** The words of each language that these are made of. */
export interface Languages {
  editor: TFunction<'editor'>;
  inspector: TFunction<'inspector'>;
  cron: TFunction<'cron'>;
  language: string;
}

/** What a person sees of a fault's place: the task `load`, the trigger 2. */
export function placeText({ editor: t }: Languages, doc: Doc, fault: DocFault): string {
  const { task, job } = placeOf(doc, fault);
  if (task !== undefined) return t('place.task', { task });
  if (job !== undefined) return t('place.job', { job });
  const trigger = /^triggers\[(\d+)\]/.exec(fault.path)?.[1];
  return trigger === undefined ? t('place.schedule') : t('place.trigger', { n: Number(trigger) + 1 });
}

/** Labels of the form's fields: a change and a fault name them as the form does. */
const LABELS = {
  key: 'key.label',
  title: 'title',
  description: 'description',
  handler: 'handler.label',
  needs: 'needs.label',
  rule: 'rule.label',
  when: 'when.label',
  retry: 'retry.label',
  'retry.max': 'retry.times',
  'retry.delay': 'retry.delay',
  'retry.backoff': 'retry.backoff',
  'retry.maxDelay': 'retry.maxDelay',
  timeout: 'timeout',
  group: 'group.label',
  executor: 'executor.label',
  priority: 'priority.label',
  labels: 'labels.label',
  killGrace: 'killGrace.label',
  allowFailure: 'allowFailure.label',
  disabled: 'disabled.label',
  onLost: 'onLost.label',
  'onLost.do': 'onLost.label',
  params: 'params.label',
  name: 'name.label',
  timezone: 'zone.label',
  flow: 'flow.label',
  'policy.overlap': 'overlap.label',
  'policy.catchUp.mode': 'catchUp.label',
  'policy.catchUp.grace': 'catchUp.grace',
  'policy.expire': 'expire.label',
  'policy.timeout': 'batchTimeout.label',
  'policy.maxBatches': 'maxBatches.label',
  job: 'region.job',
} as const;

/** What the words of a field's values begin with, for those that are one of a few. */
const CHOICES: Readonly<Record<string, string>> = {
  rule: 'rule',
  flow: 'flow',
  'policy.overlap': 'overlap',
  'policy.catchUp.mode': 'catchUp',
  'onLost.do': 'onLost',
};
const DURATIONS: readonly string[] = [
  'timeout',
  'killGrace',
  'retry.delay',
  'retry.maxDelay',
  'policy.timeout',
  'policy.expire',
  'policy.catchUp.grace',
];

/** A field as the form calls it; `handler` is that of its task. What the form does not show keeps its own name. */
export function fieldText({ editor, inspector }: Languages, field: string, handler?: OfferedHandler): string {
  const plain = field.replace(/\[\d+\].*$/, '');
  if (Object.hasOwn(LABELS, plain)) return inspector(LABELS[plain as keyof typeof LABELS]);
  if (plain === 'triggers') return editor('changes.triggers');
  if (plain === 'order') return editor('changes.jobOrder');
  if (plain === 'onLost.max')
    return editor('changes.part', { whole: inspector('onLost.label'), part: inspector('onLost.max') });
  const [of, name = '', ...rest] = plain.split('.');
  if (of === 'labels')
    return editor('changes.part', { whole: inspector('labels.label'), part: [name, ...rest].join('.') });
  if (of !== 'params') return field;
  const known = schemaForm(handler?.schema)?.fields.find((one) => one.name === name)?.title;
  if (known === undefined) return editor('changes.param', { name: [name, ...rest].join('.') });
  return rest.length === 0 ? known : editor('changes.part', { whole: known, part: rest.join('.') });
}

/** A value of a field in words; empty for one that is not there. */
export function fieldValue(words: Languages, field: string, value: unknown): string {
  const { inspector: t } = words;
  if (typeof value === 'boolean') return t(value ? 'param.true' : 'param.false');
  if (field === 'triggers' && Array.isArray(value))
    return value.map((one) => triggerText(words, one as Trigger)).join('\n');
  if (typeof value !== 'string') return valueText(value);
  const of = CHOICES[field];
  if (of !== undefined) return String(t(`${of}.${value}` as never, { defaultValue: value } as never));
  const ms = DURATIONS.includes(field) ? parseDuration(value) : undefined;
  return ms === undefined ? value : durationWords(ms, t);
}

type Trigger = NonNullable<Doc['triggers']>[number];

/** When a trigger is due, in words; the cron itself where no words are surely right. */
function triggerText({ editor, inspector: t, cron: inWords, language }: Languages, { cron, dst }: Trigger): string {
  const when = cronWords(cron, inWords, language) ?? cron;
  const answers = [
    dst?.gap &&
      editor('changes.part', { whole: t('dst.gap'), part: t(`dst.gaps.${dst.gap}`, { defaultValue: dst.gap }) }),
    dst?.repeat &&
      editor('changes.part', {
        whole: t('dst.repeat'),
        part: t(`dst.repeats.${dst.repeat}`, { defaultValue: dst.repeat }),
      }),
  ];
  return [when, ...answers].filter(Boolean).join(inWords('and'));
}

/**
 * The values of one field in words; of long values only the parts that differ, and undefined for a missing value. If
 * two values read the same in words, as `60s` and `1m` do, they are shown as they are written.
 */
export function fieldValues(
  words: Languages,
  field: string,
  values: readonly unknown[],
  room?: Parameters<typeof differing>[1],
): (string | undefined)[] {
  const texts = values.map((value) => (value === undefined ? undefined : fieldValue(words, field, value)));
  const shown = texts.every((text, i) =>
    texts.every((other, j) => i === j || text !== other || valueText(values[i]) === valueText(values[j])),
  );
  return differing(shown ? texts : values, room);
}

/** A whole task or job in words: a line for each of its fields, without what is never shown. */
export function wholeText(words: Languages, whole: unknown, handler?: OfferedHandler): string {
  const line = (field: string, value: unknown): string[] => {
    if (field === 'tasks' && Array.isArray(value))
      return [
        words.editor('changes.part', {
          whole: words.editor('conflict.tasks'),
          part: value.map((task) => (task as { key: string }).key).join(', '),
        }),
      ];
    const inside =
      ['params', 'labels', 'retry', 'onLost'].includes(field) &&
      typeof value === 'object' &&
      value !== null &&
      !Array.isArray(value);
    if (inside)
      return Object.entries(value).flatMap(([name, one]) => (name === '#' ? [] : line(`${field}.${name}`, one)));
    const part = fieldValue(words, field, value);
    return part === '' ? [] : [words.editor('changes.part', { whole: fieldText(words, field, handler), part })];
  };
  return Object.entries(whole as object)
    .flatMap(([field, value]) => (field === '#' ? [] : line(field, value)))
    .join('\n');
}

/** The words above in the present language. */
export function useFieldWords() {
  const {
    t: editor,
    i18n: { language },
  } = useTranslation('editor');
  const { t: inspector } = useTranslation('inspector');
  const { t: cron } = useTranslation('cron');
  const { handlers } = useEditor();
  return useMemo(() => {
    const words: Languages = { editor, inspector, cron, language };
    const label = (field: string, handler?: string) =>
      fieldText(
        words,
        field,
        handlers.find((one) => one.name === handler),
      );
    return {
      place: (doc: Doc, fault: DocFault) => placeText(words, doc, fault),
      /** `handler` is the name of that of its task. */
      label,
      /**
       * The label of the field that a fault is at. Undefined if the fault concerns the whole item, or if the place has
       * a name of its own, as a trigger has.
       */
      labelAt: (field: string | undefined, handler?: string) =>
        field === undefined || field === 'jobs' || field.startsWith('triggers') ? undefined : label(field, handler),
      whole: (item: unknown, handler?: string) =>
        wholeText(
          words,
          item,
          handlers.find((one) => one.name === handler),
        ),
      value: (field: string, value: unknown) => fieldValue(words, field, value),
      values: (field: string, values: readonly unknown[], room?: Parameters<typeof differing>[1]) =>
        fieldValues(words, field, values, room),
    };
  }, [editor, inspector, cron, language, handlers]);
}

/** A value of a document as one text, of an object name by name; empty for one that is not there. */
export function valueText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value))
    return value.map(valueText).join(value.some((one) => typeof one === 'object') ? '; ' : ', ');
  return Object.entries(value)
    .filter(([name]) => name !== '#')
    .map(([name, one]) => `${name}: ${valueText(one)}`)
    .join(', ');
}

/** The same for one line: what is longer is cut, as a text of several lines is after its first. */
export function brief(value: unknown, most = 80): string {
  const text = valueText(value).trim();
  const line = text.split('\n', 1)[0] ?? '';
  if (line.length > most) return `${line.slice(0, most - 1)}…`;
  return line.length < text.length ? `${line} …` : line;
}

/** How much of what stays the same is shown before what differs. */
const LEAD = 12;
interface Room {
  lines: number;
  letters: number;
}
const FEW: Room = { lines: 4, letters: 160 };

/**
 * The parts in which values differ, each in a few lines. Lines that all of the values share are left out, and so are
 * long common beginnings of lines. A missing value stays undefined.
 */
export function differing(values: readonly unknown[], room: Room = FEW): (string | undefined)[] {
  const texts = values.map((value) => (value === undefined ? undefined : valueText(value)));
  const there = texts.filter((text) => text !== undefined);
  if (there.every((text) => text.length <= room.letters / 2 && !text.includes('\n'))) return texts;
  const lines = there.map((text) => text.split('\n'));
  const top = common(lines);
  const end = common(lines.map((all) => all.slice(top).reverse()));
  const middles = lines.map((all) => all.slice(top, all.length - end));
  const firsts = middles.map((all) => all[0] ?? '');
  const lead = middles.every((all) => all.length > 0)
    ? wordStart(firsts[0] ?? '', common(firsts.map((line) => line.split(''))) - LEAD)
    : 0;
  let next = 0;
  return texts.map((text) => (text === undefined ? undefined : excerpt(middles[next++] ?? [], lead, room)));
}

/** Where the word begins that a place is in, or the place itself where that word is a long one. */
function wordStart(text: string, at: number): number {
  if (at <= 0) return 0;
  const begun = text.slice(0, at).search(/\S*$/);
  return at - begun > LEAD ? at : begun;
}

/** How many of the first are the same in all. */
function common(lists: readonly (readonly string[])[]): number {
  const [first = [], ...rest] = lists;
  if (rest.length === 0) return 0;
  const n = first.findIndex((item, i) => rest.some((list) => list[i] !== item));
  return n < 0 ? first.length : n;
}

function excerpt(lines: readonly string[], lead: number, room: Room): string {
  const text = lines.slice(0, room.lines).join('\n').slice(lead);
  const cut = text.length > room.letters ? text.slice(0, room.letters - 1) : text;
  return `${lead > 0 ? '…' : ''}${cut}${cut.length < text.length || lines.length > room.lines ? '…' : ''}`;
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
] as const;

/** A duration (milliseconds) in words that `readDuration` reads back: `1 h 30 min`, `2 days`. */
export function durationWords(ms: number, t: TFunction<'inspector'>): string {
  let rest = ms;
  const parts: string[] = [];
  for (const [unit, size] of UNITS) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(t(`unit.${unit}`, { count }));
  }
  return parts.join(' ') || t('unit.s', { count: 0 });
}
