import type { TFunction } from 'i18next';
import { errorText } from '@/api/problem';
import type { Batch } from '@/live';
import { exact } from '@/ui/time';
import { type BatchCommand, type BatchEvent, personOf } from './events';

/** What the texts of events need beside the event. */
export interface Words {
  t: TFunction<['batch', 'history', 'repair', 'problems']>;
  language: string;
  batch: Batch;
  /** The title of a task, or its key. */
  nameOf: (key: string) => string;
  zone?: string;
  /** The revision that the batch started with. */
  firstRevision: number;
}

/** A sentence of an event without the person, who stands before it. */
export function sentenceOf(event: BatchEvent, words: Words): string {
  const { t, batch, nameOf } = words;
  switch (event.type) {
    case 'begun':
      return begunText(words);
    case 'failed':
      return t(event.run.state === 'unknown' ? 'history:unknown' : 'history:failed', { task: nameOf(event.run.key) });
    case 'more':
      return t('history:moreFailed', { count: event.failed });
    case 'command':
      return commandText(event.command, words);
    case 'published':
      return t('history:published', { revision: event.revision.number });
    case 'taken':
      return t('history:taken');
    case 'ended':
      return t(`history:ended.${batch.state}`, { defaultValue: '' });
  }
}

function begunText({ t, batch, zone, firstRevision }: Words): string {
  return t(`history:begun.${batch.kind}`, {
    moment: exact(batch.moment, { zone }),
    revision: firstRevision,
    backfill: batch.backfill,
  });
}

function commandText(command: BatchCommand, words: Words): string {
  const { t } = words;
  if (command.replaced) return t('history:replaced');
  if (command.kind === 'wish') return t(`history:did.wish_${command.wish ?? 'run'}`);
  return t(`history:did.${command.action ?? 'resume'}`, { tasks: tasksText(command, words) });
}

/** The first tasks of a command, and how many more there are. */
function tasksText({ tasks, asked, changes }: BatchCommand, { t, language, nameOf }: Words): string {
  if (tasks.length === 0) return t('history:allTasks');
  // A plan without named tasks changes more than those that it repairs, so their number is unknown.
  const more = asked > tasks.length ? asked - tasks.length : 0;
  const names = tasks.map(nameOf);
  const isCut = asked === 0 && tasks.length === 5 && changes.some((c) => c.count > 5);
  if (more > 0) return t('history:tasksMore', { tasks: names.join(t('history:comma')), count: more });
  if (isCut) return `${names.join(t('history:comma'))} …`;
  return new Intl.ListFormat(language, { type: 'conjunction' }).format(names);
}

const CHANGE = {
  waiting: 'run',
  succeeded: 'succeed',
  ignored: 'ignore',
  canceled: 'cancel',
  skipped: 'skip',
} as const;

/** What an applied repair changed: `2 tasks run again, 22 are kept · with v12`. Empty for any other command. */
export function effectText(command: BatchCommand, total: number, { t, language }: Words): string {
  if (command.kind !== 'repair' || command.state !== 'applied' || command.action === 'close') return '';
  const number = (n: number) => n.toLocaleString(language);
  const counts = new Map<string, number>();
  let changed = 0;
  for (const { to, count, from } of command.changes) {
    const change = CHANGE[to as keyof typeof CHANGE] as string | undefined;
    if (change && from !== to) counts.set(change, (counts.get(change) ?? 0) + count);
    if (from) changed += count;
  }
  const parts = [...counts, ['keep', Math.max(0, total - changed)] as const]
    .filter(([, count]) => count > 0)
    .map(([change, count]) => String(t(`repair:summary.${change}`, { count, n: number(count), defaultValue: '' })));
  const revision = command.revision ? t('history:withRevision', { revision: command.revision }) : '';
  return [parts.join(t('history:comma')), revision].filter(Boolean).join(' · ');
}

/** The first line of why the task of an event failed; empty for other events. */
export function errorOf(event: BatchEvent, { t }: Words): string {
  if (event.type !== 'failed') return '';
  const text = errorText(event.last ?? event.run, t) || event.run.detail || '';
  return (
    text
      .split('\n')
      .find((line) => line.trim() !== '')
      ?.trim() ?? ''
  );
}

/** The words that a person gave with an event; empty for none. */
export function noteOf(event: BatchEvent): string {
  switch (event.type) {
    case 'command':
      return event.command.note;
    case 'published':
      return event.revision.note ?? '';
    case 'taken':
      return event.note;
    default:
      return '';
  }
}

/** All events as plain text, oldest first, for a message or a ticket. */
export function reportOf(events: readonly BatchEvent[], title: string, words: Words): string {
  const { t, batch, zone } = words;
  const lines = [title, location.href, ''];
  let round = 0;
  for (const event of [...events].reverse()) {
    if (event.round !== round) {
      round = event.round;
      lines.push(t('batch:round', { n: round }));
    }
    const person = personOf(event, batch);
    const sentence = [person, sentenceOf(event, words)].filter(Boolean).join(' ');
    lines.push(`- ${exact(event.at, { zone, seconds: true })} ${sentence}`);
    const more = [noteOf(event) && `“${noteOf(event)}”`, errorOf(event, words)];
    for (const line of more) if (line) lines.push(`  ${line}`);
  }
  return `${lines.join('\n')}\n`;
}
