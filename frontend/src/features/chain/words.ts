import { useTranslation } from 'react-i18next';
import { describeTrigger } from '@/cron';
import { exact, useSpan } from '@/ui';
import { type Bar, type Edge, isLate, type Link } from './chain';

type Upstream = NonNullable<Link['triggers'][number]['after']>[number];

/** Writes moments in a zone: `04:24`, or `Wed 04:24` on another day than `now`. */
export function useMoment(zone: string, now: number): (at: string | number) => string {
  const { i18n } = useTranslation();
  return (at) => {
    const text = exact(at, { zone });
    if (text.slice(0, 10) === exact(now, { zone }).slice(0, 10)) return text.slice(11);
    const day = new Intl.DateTimeFormat(i18n.language === 'en' ? 'en-GB' : i18n.language, {
      weekday: 'short',
      timeZone: zone,
    });
    return `${day.format(new Date(at))} ${text.slice(11)}`;
  };
}

/** Joins names: `a, b and c`. */
export function useNames(): (names: readonly string[]) => string {
  const { i18n } = useTranslation();
  const locale = i18n.language === 'en' ? 'en-GB' : i18n.language;
  return (names) => new Intl.ListFormat(locale, { type: 'conjunction' }).format(names);
}

/** When a schedule is due and what it waits for, a line for each trigger and its upstreams. */
export function useNeeds(): (link: Link) => string[] {
  const { t, i18n } = useTranslation('chain');
  const { t: tCron } = useTranslation('cron');
  const span = useSpan();
  const names = useNames();
  const upstream = ({ schedule, policy, window }: Upstream) => {
    const [, kind, n] = /^(last|first)\((\d+)\)$/.exec(policy ?? '') ?? [];
    const words =
      kind === 'last' || kind === 'first'
        ? t(`needs.${kind}`, { schedule, count: Number(n) })
        : policy === 'any'
          ? t('needs.any', { schedule })
          : schedule;
    if (!window) return words;
    const of = window === 'same_day' || window === 'same_hour' ? t(`needs.${window}`) : window;
    return t('needs.in', { words, window: of });
  };
  return (link) => {
    const lines = link.triggers.flatMap(({ text, cron, after }) => [
      ...(cron || !after?.length ? [describeTrigger(cron ? { cron } : text, tCron, i18n.language).text] : []),
      ...(after?.length ? [t('needs.after', { names: names(after.map(upstream)) })] : []),
    ]);
    const rest = [
      ...(link.triggers.some((one) => one.serial) ? [t('needs.serial')] : []),
      ...(link.expireSeconds === undefined ? [] : [t('needs.expire', { span: span(link.expireSeconds * 1000) })]),
    ];
    // A row has room for two lines.
    return rest.length === 0 ? lines : [...lines.slice(0, -1), [...lines.slice(-1), ...rest].join(t('needs.comma'))];
  };
}

/** What a bar tells, in a few words. `holds` is the edge that its begin depends on. */
export function useFact(moment: (at: string | number) => string): (link: Link, bar: Bar, holds?: Edge) => string {
  const { t } = useTranslation('chain');
  const span = useSpan();
  const lasted = (from?: string, to?: string) => (from && to ? span(Date.parse(to) - Date.parse(from)) : '');
  const facts: Record<Bar['outcome'], (bar: Bar, link: Link, holds?: Edge) => string> = {
    succeeded: (bar) => lasted(bar.startedAt, bar.finishedAt),
    failed: (bar) => {
      const { left } = tasksOf(bar);
      return left === 0 ? '' : t(bar.state === 'canceled' ? 'fact.canceled' : 'fact.failed', { count: left });
    },
    resumed: (bar) => {
      const values = { count: tasksOf(bar).left, span: lasted(bar.startsAt, bar.endsAt) };
      return t(bar.endsAt ? 'fact.resumed' : 'fact.resumedUnknown', values);
    },
    running: (bar) => {
      const { all, left } = tasksOf(bar);
      const values = { done: all - left, count: all, at: bar.endsAt && moment(bar.endsAt) };
      return t(bar.endsAt ? 'fact.running' : 'fact.runningUnknown', values);
    },
    expected: (bar) => {
      const values = {
        from: moment(bar.startsAt ?? bar.moment),
        to: bar.endsAt && moment(bar.endsAt),
        span: span(((isLate(bar) ? bar.lateSeconds : bar.delaySeconds) ?? 0) * 1000),
      };
      if (isLate(bar)) return t('fact.late', values);
      if (bar.own) return t('fact.inTime', values);
      const range = t(bar.endsAt ? 'fact.range' : 'fact.begins', values);
      return bar.delaySeconds ? t('fact.delayed', { ...values, range }) : range;
    },
    held: (bar, _, holds) => {
      if (bar.paused) return t('fact.paused');
      if (!holds) return t('fact.heldUnknown');
      return t(holds.missing ? 'fact.missing' : 'fact.held', { schedule: holds.from });
    },
    expired: (bar) => t('fact.expired', { at: moment(bar.endsAt ?? bar.moment) }),
    left_out: (_, link) => t(link.archived ? 'fact.archived' : link.enabled ? 'fact.left_out' : 'fact.disabled'),
    unknown: () => t('fact.unknown'),
  };
  return (link, bar, holds) => facts[bar.outcome](bar, link, holds);
}

/** The number of tasks of the batch of a bar, and of those that have not succeeded. */
function tasksOf({ counts = {} }: Bar): { all: number; left: number } {
  const all = Object.values(counts).reduce((sum, n) => sum + n, 0);
  return { all, left: all - (counts.succeeded ?? 0) - (counts.ignored ?? 0) };
}
