import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { useExact, useSpan } from '@/ui';
import type { Mark } from './marks';

/** Returns a function that says in one line what a mark of a schedule is. */
export function useMarkText(): (schedule: string, mark: Mark) => string {
  const { t } = useTranslation(['night', 'states']);
  const words = { t, span: useSpan(), exact: useExact() };
  return (schedule, mark) => (mark.bar ? barText(schedule, mark, mark.bar, words) : tickText(schedule, mark, words));
}

type Bar = NonNullable<Mark['bar']>;
interface Words {
  t: TFunction<['night', 'states']>;
  span: ReturnType<typeof useSpan>;
  exact: ReturnType<typeof useExact>;
}

function barText(schedule: string, { from, to, moment }: Mark, bar: Bar, { t, span, exact }: Words): string {
  const parts = [
    (bar.batches ?? 1) > 1
      ? t('night:mark.several', { schedule, count: bar.batches, state: t(`states:${bar.state}`) })
      : t('night:mark.batch', { schedule, date: exact(moment), state: t(`states:${bar.state}`) }),
  ];
  if (bar.open) parts.push(t('night:mark.open'));
  if (bar.late) parts.push(t('night:mark.late'));
  if (bar.state !== 'queued') parts.push(span(to - from));
  return parts.join(' · ');
}

function tickText(schedule: string, { tick, look, from, to, moment }: Mark, { t, span, exact }: Words): string {
  const date = exact(moment);
  const parts = [
    (tick?.ticks ?? 1) > 1
      ? t('night:mark.ticks', { schedule, count: tick?.ticks, date })
      : t('night:mark.due', { schedule, date }),
  ];
  const wait = waitText(tick?.waitsFor, look === 'late', t);
  if (wait) parts.push(wait);
  if (look === 'due' && tick?.end) parts.push(t('night:mark.usually', { span: span(to - from) }));
  return parts.join(' · ');
}

/** What a coming batch waits for; empty if it does not wait. */
export function waitText(names: readonly string[] | undefined, late: boolean, t: unknown): string {
  const text = t as (key: string, values?: object) => string;
  if (names && names.length > 0) {
    const joined = names.join(', ');
    return text(late ? 'night:mark.lateFor' : 'night:mark.waitsFor', { names: joined });
  }
  return late ? text('night:mark.lateAlone') : '';
}
