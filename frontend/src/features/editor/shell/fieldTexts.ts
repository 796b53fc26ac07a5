import type { TFunction } from 'i18next';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { describeTrigger } from '@/cron';
import { type Doc, type DocFault, parseDuration } from '@/document';
import { type OfferedHandler, useEditor } from '../context';
import { subjectOf } from '../inspector/faults';
import { schemaForm } from '../inspector/schema/model';

/** The translation functions for these texts, in one language. */
export interface Translations {
  editor: TFunction<'editor'>;
  inspector: TFunction<'inspector'>;
  cron: TFunction<'cron'>;
  language: string;
}

/** The text for the task, job or trigger that has a fault: the task `load`, the trigger 2. */
export function subjectText({ editor: t }: Translations, doc: Doc, fault: DocFault): string {
  const { task, job } = subjectOf(doc, fault);
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
  tags: 'tags.label',
  owners: 'owners.label',
  handler: 'handler.label',
  needs: 'needs.label',
  rule: 'rule.label',
  when: 'when.label',
  retry: 'retry.label',
  'retry.max': 'retry.times',
  'retry.delay': 'retry.delay',
  'retry.backoff': 'retry.backoff',
  'retry.maxDelay': 'retry.maxDelay',
  'retry.jitter': 'retry.jitter',
  'retry.on': 'retry.on.label',
  'retry.when': 'retry.when.label',
  timeout: 'timeout',
  group: 'group.label',
  executor: 'executor.label',
  priority: 'priority.label',
  pool: 'pool.label',
  'pool.name': 'pool.label',
  'pool.slots': 'pool.slots',
  labels: 'labels.label',
  selector: 'selector.label',
  route: 'route.label',
  routeKey: 'routeKey.label',
  'reject.max': 'reject.max',
  'reject.interval': 'reject.interval',
  shard: 'shard.label',
  'shard.count': 'shard.countLabel',
  'shard.over': 'shard.overLabel',
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
  'policy.route': 'policyRoute.label',
  'policy.priority': 'policyPriority.label',
  'policy.keep.batches': 'keep.batches',
  'policy.keep.days': 'keep.days',
  'policy.keep.logs': 'keep.logs',
  onFailure: 'hooks.onFailure',
  onSuccess: 'hooks.onSuccess',
  onEnd: 'hooks.onEnd',
  defaults: 'defaults.title',
  job: 'region.job',
} as const;

/** For fields with a few values: the prefix of the i18n keys of the values. */
const CHOICES: Readonly<Record<string, string>> = {
  rule: 'rule',
  flow: 'flow',
  'policy.overlap': 'overlap',
  'policy.catchUp.mode': 'catchUp',
  'onLost.do': 'onLost',
  route: 'route',
  'policy.route': 'route',
};
const DURATIONS: readonly string[] = [
  'timeout',
  'killGrace',
  'retry.delay',
  'retry.maxDelay',
  'policy.timeout',
  'policy.expire',
  'policy.catchUp.grace',
  'reject.interval',
];

/** What stands before the fields of the defaults of a job. */
const DEFAULTS = 'defaults.';

/** The label of a field in the form; `handler` is the handler of its task. Other fields keep their own name. */
export function fieldText(
  { editor, inspector, ...others }: Translations,
  field: string,
  handler?: OfferedHandler,
): string {
  const plain = field.replace(/\[\d+\].*$/, '');
  if (Object.hasOwn(LABELS, plain)) return inspector(LABELS[plain as keyof typeof LABELS]);
  if (plain.startsWith(DEFAULTS))
    return editor('changes.part', {
      field: inspector('defaults.title'),
      part: fieldText({ editor, inspector, ...others }, plain.slice(DEFAULTS.length)),
    });
  if (plain === 'triggers') return editor('changes.triggers');
  if (plain === 'order') return editor('changes.jobOrder');
  if (plain === 'onLost.max')
    return editor('changes.part', { field: inspector('onLost.label'), part: inspector('onLost.max') });
  const [group, name = '', ...rest] = plain.split('.');
  if (group === 'labels')
    return editor('changes.part', { field: inspector('labels.label'), part: [name, ...rest].join('.') });
  if (group !== 'params') return field;
  const title = schemaForm(handler?.schema)?.fields.find((one) => one.name === name)?.title;
  if (title === undefined) return editor('changes.param', { name: [name, ...rest].join('.') });
  return rest.length === 0 ? title : editor('changes.part', { field: title, part: rest.join('.') });
}

/** The text of a field's value; empty for a missing value. */
export function fieldValue(translations: Translations, name: string, value: unknown): string {
  const field = name.startsWith(DEFAULTS) ? name.slice(DEFAULTS.length) : name;
  const { inspector: t } = translations;
  if (typeof value === 'boolean') return t(value ? 'param.true' : 'param.false');
  if (field === 'triggers' && Array.isArray(value))
    return value.map((one) => triggerText(translations, one as Trigger)).join('\n');
  if (typeof value !== 'string') return valueText(value);
  const prefix = CHOICES[field];
  if (prefix !== undefined) return String(t(`${prefix}.${value}` as never, { defaultValue: value } as never));
  const ms = DURATIONS.includes(field) ? parseDuration(value) : undefined;
  return ms === undefined ? value : durationText(ms, t);
}

type Trigger = NonNullable<Doc['triggers']>[number];

/** When a trigger is due, as text; the cron itself if it has no description. */
function triggerText({ editor, inspector: t, cron: inWords, language }: Translations, trigger: Trigger): string {
  const { dst, jitter } = trigger;
  const { text: when } = describeTrigger(trigger, inWords, language);
  const answers = [
    jitter && editor('changes.part', { field: t('jitter.label'), part: jitter }),
    dst?.gap &&
      editor('changes.part', { field: t('dst.gap'), part: t(`dst.gaps.${dst.gap}`, { defaultValue: dst.gap }) }),
    dst?.repeat &&
      editor('changes.part', {
        field: t('dst.repeat'),
        part: t(`dst.repeats.${dst.repeat}`, { defaultValue: dst.repeat }),
      }),
  ];
  return [when, ...answers].filter(Boolean).join(inWords('and'));
}

/**
 * The texts of several values of one field. Long values are cut to the parts that differ; a missing value is undefined.
 * If different values have the same text, as `60s` and `1m` do, they are shown as they are written.
 */
export function fieldValues(
  translations: Translations,
  field: string,
  values: readonly unknown[],
  room?: Parameters<typeof differingParts>[1],
): (string | undefined)[] {
  const texts = values.map((value) => (value === undefined ? undefined : fieldValue(translations, field, value)));
  const distinct = texts.every((text, i) =>
    texts.every((other, j) => i === j || text !== other || valueText(values[i]) === valueText(values[j])),
  );
  return differingParts(distinct ? texts : values, room);
}

/** The text of a whole task or job: a line for each field, without comments. */
export function itemText(translations: Translations, item: unknown, handler?: OfferedHandler): string {
  const line = (field: string, value: unknown): string[] => {
    if (field === 'tasks' && Array.isArray(value))
      return [
        translations.editor('changes.part', {
          field: translations.editor('conflict.tasks'),
          part: value.map((task) => (task as { key: string }).key).join(', '),
        }),
      ];
    const inside =
      ['params', 'labels', 'retry', 'onLost', 'reject', 'defaults', 'defaults.retry', 'defaults.onLost'].includes(
        field,
      ) &&
      typeof value === 'object' &&
      value !== null &&
      !Array.isArray(value);
    if (inside)
      return Object.entries(value).flatMap(([name, one]) => (name === '#' ? [] : line(`${field}.${name}`, one)));
    const part = fieldValue(translations, field, value);
    return part === ''
      ? []
      : [translations.editor('changes.part', { field: fieldText(translations, field, handler), part })];
  };
  return Object.entries(item as object)
    .flatMap(([field, value]) => (field === '#' ? [] : line(field, value)))
    .join('\n');
}

/** The functions above in the present language. */
export function useFieldTexts() {
  const {
    t: editor,
    i18n: { language },
  } = useTranslation('editor');
  const { t: inspector } = useTranslation('inspector');
  const { t: cron } = useTranslation('cron');
  const { handlers } = useEditor();
  return useMemo(() => {
    const translations: Translations = { editor, inspector, cron, language };
    const label = (field: string, handler?: string) =>
      fieldText(
        translations,
        field,
        handlers.find((one) => one.name === handler),
      );
    return {
      subject: (doc: Doc, fault: DocFault) => subjectText(translations, doc, fault),
      /** The label of a field; `handler` is the name of its task's handler. */
      label,
      /**
       * The label of the field that has a fault. Undefined if the fault concerns the whole item, or a trigger, which
       * is named already.
       */
      labelAt: (field: string | undefined, handler?: string) =>
        field === undefined || field === 'jobs' || field.startsWith('triggers') ? undefined : label(field, handler),
      itemText: (item: unknown, handler?: string) =>
        itemText(
          translations,
          item,
          handlers.find((one) => one.name === handler),
        ),
      value: (field: string, value: unknown) => fieldValue(translations, field, value),
      values: (field: string, values: readonly unknown[], room?: Parameters<typeof differingParts>[1]) =>
        fieldValues(translations, field, values, room),
    };
  }, [editor, inspector, cron, language, handlers]);
}

/** A value of a document as one text; empty for a missing value. Objects are written name by name. */
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

/** The same in one line: a longer text is cut, a text of several lines after its first one. */
export function oneLine(value: unknown, most = 80): string {
  const text = valueText(value).trim();
  const line = text.split('\n', 1)[0] ?? '';
  if (line.length > most) return `${line.slice(0, most - 1)}…`;
  return line.length < text.length ? `${line} …` : line;
}

/** The number of common characters that are shown before the first difference. */
const LEAD = 12;
interface ExcerptLimit {
  lines: number;
  letters: number;
}
const DEFAULT_LIMIT: ExcerptLimit = { lines: 4, letters: 160 };

/**
 * The parts in which values differ, each in a few lines. Lines that all of the values share are left out, and so are
 * long common beginnings of lines. A missing value stays undefined.
 */
export function differingParts(values: readonly unknown[], room: ExcerptLimit = DEFAULT_LIMIT): (string | undefined)[] {
  const texts = values.map((value) => (value === undefined ? undefined : valueText(value)));
  const present = texts.filter((text) => text !== undefined);
  if (present.every((text) => text.length <= room.letters / 2 && !text.includes('\n'))) return texts;
  const lines = present.map((text) => text.split('\n'));
  const top = commonLength(lines);
  const end = commonLength(lines.map((all) => all.slice(top).reverse()));
  const middles = lines.map((all) => all.slice(top, all.length - end));
  const firsts = middles.map((all) => all[0] ?? '');
  const lead = middles.every((all) => all.length > 0)
    ? wordStart(firsts[0] ?? '', commonLength(firsts.map((line) => line.split(''))) - LEAD)
    : 0;
  let next = 0;
  return texts.map((text) => (text === undefined ? undefined : excerpt(middles[next++] ?? [], lead, room)));
}

/** The start of the word at a position, or the position itself if the word is a long one. */
function wordStart(text: string, at: number): number {
  if (at <= 0) return 0;
  const begun = text.slice(0, at).search(/\S*$/);
  return at - begun > LEAD ? at : begun;
}

/** The length of the common beginning of all lists. */
function commonLength(lists: readonly (readonly string[])[]): number {
  const [first = [], ...rest] = lists;
  if (rest.length === 0) return 0;
  const n = first.findIndex((item, i) => rest.some((list) => list[i] !== item));
  return n < 0 ? first.length : n;
}

function excerpt(lines: readonly string[], lead: number, room: ExcerptLimit): string {
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

/** A duration (milliseconds) as a text that `readDuration` reads back: `1 h 30 min`, `2 days`. */
export function durationText(ms: number, t: TFunction<'inspector'>): string {
  let rest = ms;
  const parts: string[] = [];
  for (const [unit, size] of UNITS) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(t(`unit.${unit}`, { count }));
  }
  return parts.join(' ') || t('unit.s', { count: 0 });
}
