import { useTranslation } from 'react-i18next';
import { exact, reasonText, shownState, useTaskNames, useTook } from '@/ui';
import type { Drawing } from './drawing';
import { type Bar, endOf } from './rows';
import { timeOf } from './scale';
import type { Wait, WaitKind } from './waits';

/** Returns a function that describes a bar: its attempt, state, start and end. That of shards has no attempt. */
export function useBarText(zone: string | undefined): (bar: Bar, now: number) => string {
  const { t } = useTranslation(['batch', 'states']);
  const took = useTook();
  return (bar, now) =>
    t(bar.attempt === 0 ? 'batch:timeline.barOfShards' : 'batch:timeline.bar', {
      n: bar.attempt,
      state: t(`states:${bar.state}`),
      from: exact(bar.from, { zone, seconds: true }),
      to: bar.to === undefined ? '…' : exact(bar.to, { zone, seconds: true }).slice(11),
      took: took(endOf(bar, now) - bar.from),
    });
}

/** Returns a function that describes a row in one sentence: its state, start, duration, waits and slack. */
export function useTaskLabel({ data, zone }: Drawing): (row: number) => string {
  const { t } = useTranslation(['timeline', 'states']);
  const name = useTaskNames();
  const took = useTook();
  return (n) => {
    const row = data.rows[n];
    if (!row) return '';
    const { run, bars } = row;
    const [first, last] = [bars[0], bars.at(-1)];
    const usual = data.usual.get(run.key);
    const slack = data.slack(n);
    const reason = reasonText(run, t);
    const parts = [`${name(run.key)}: ${t(`states:${shownState(run)}`)}`];
    if (reason) parts.push(reason);
    if (first && last) {
      parts.push(t('label.started', { at: timeOf(first.from, zone) }));
      parts.push(t('label.took', { time: took(endOf(last, data.now) - last.from, last.to === undefined) }));
    }
    if (usual) parts.push(t('label.usually', { time: took(usual.took) }));
    if (bars.length > 1) parts.push(t('label.attempts', { count: bars.length }));
    for (const [kind, ms] of waitSums(data.waits.of(n), data.now)) parts.push(t(`label.${kind}`, { time: took(ms) }));
    if (data.steps.has(n)) parts.push(t('label.path'));
    else if (slack) parts.push(t('label.slack', { time: took(slack) }));
    return parts.join(', ');
  };
}

/** The milliseconds of the waits of a row, by kind. */
function waitSums(waits: readonly Wait[], now: number): Map<WaitKind, number> {
  const sums = new Map<WaitKind, number>();
  for (const { kind, from, to = now } of waits) sums.set(kind, (sums.get(kind) ?? 0) + to - from);
  return sums;
}
