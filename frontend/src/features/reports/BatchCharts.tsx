import { Link } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { useSpan } from '@/ui';
import { Chart } from './Chart';
import { percent, shortDays } from './format';
import { shareOf } from './groups';
import { gridSearch, listSearch } from './links';
import { type ReportsSearch, selectsBatches } from './search';
import { type Series, spreadSeries, STATES, worstDay } from './series';
import styles from './Reports.module.css';

interface Props {
  report: Schemas['BatchReport'];
  search: ReportsSearch;
  zone: string;
}

/** Batches, successes, durations and delays by day. */
export function BatchCharts({ report, search, zone }: Props) {
  const { t, i18n } = useTranslation(['reports', 'states']);
  const language = i18n.language;
  const { days, total } = report;
  const span = useSpan();
  const seconds = useCallback((v: number) => span(v * 1000), [span]);
  const share = useCallback((v: number) => percent(v, language), [language]);
  const number = useCallback((v: number) => v.toLocaleString(language), [language]);
  const names = useMemo(() => days.map((d) => d.day), [days]);
  const labels = useMemo(() => shortDays(names, language), [names, language]);
  const shared = { names, labels, labelHead: t('reports:day', { zone }) };
  const states = useMemo(() => STATES.filter((s) => s === 'succeeded' || (total[s] ?? 0) > 0), [total]);
  const counts = useMemo<Series[]>(
    () =>
      states.map((s) => ({
        label: t(`states:${s}`),
        color: `--${s === 'queued' ? 'waiting' : s}`,
        values: days.map((d) => d[s] ?? 0),
      })),
    [days, states, t],
  );
  const rates = useMemo<Series[]>(
    () => [{ label: t('reports:success'), color: '--succeeded', values: days.map((d) => shareOf(d) ?? null) }],
    [days, t],
  );
  const spreads = useMemo(() => {
    const words = [t('reports:median'), t('reports:p95')] as const;
    return {
      took: spreadSeries(
        days.map((d) => d.took),
        words,
        '--running',
      ),
      wait: spreadSeries(
        days.map((d) => d.wait),
        words,
        '--ready',
      ),
    };
  }, [days, t]);
  const worst = worstDay(days);
  const usual = (s: Schemas['Spread'], key: 'tookSummary' | 'waitSummary') =>
    s.count > 0
      ? t(`reports:${key}`, { median: seconds(s.median ?? 0), p95: seconds(s.p95 ?? 0) })
      : t('reports:noDurations');
  return (
    <div className={styles.charts}>
      <Chart
        {...shared}
        bars
        title={t('reports:byDay')}
        summary={STATES.filter((s) => (total[s] ?? 0) > 0)
          .map((s) => `${number(total[s] ?? 0)} ${t(`states:${s}`)}`)
          .join(' · ')}
        series={counts}
        format={number}
        file="batches-by-day"
        cell={(row, n, text) => (
          <DayLink day={names[row]} state={states[n]} search={search} zero={counts[n]?.values[row] === 0}>
            {text}
          </DayLink>
        )}
      />
      <Chart
        {...shared}
        title={t('reports:success')}
        summary={worst ? t('reports:worst', { day: worst.day, share: share(worst.share) }) : t('reports:allGood')}
        series={rates}
        format={share}
        most={1}
        file="success-by-day"
      />
      <Chart
        {...shared}
        title={t('reports:took')}
        summary={usual(total.took, 'tookSummary')}
        series={spreads.took}
        format={seconds}
        seconds
        file="durations-by-day"
      />
      <Chart
        {...shared}
        title={t('reports:wait')}
        summary={usual(total.wait, 'waitSummary')}
        series={spreads.wait}
        format={seconds}
        seconds
        file="delays-by-day"
      />
    </div>
  );
}

interface DayLinkProps {
  day?: string;
  state?: (typeof STATES)[number];
  search: ReportsSearch;
  zero: boolean;
  children: string;
}

/** The batches of a day and a state. */
function DayLink({ day, state, search, zero, children }: DayLinkProps) {
  if (zero || day === undefined) return children;
  if (search.schedule !== undefined && !selectsBatches(search))
    return (
      <Link
        to="/schedules/$name/runs"
        params={{ name: search.schedule }}
        search={gridSearch({ from: day, to: day }, state === 'failed')}
      >
        {children}
      </Link>
    );
  return (
    <Link to="/batches" search={listSearch(search, day, day, state)}>
      {children}
    </Link>
  );
}
