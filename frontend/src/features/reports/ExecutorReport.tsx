import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { ErrorNote, exact, Skeleton, useSpan } from '@/ui';
import { Chart } from './Chart';
import { saveCsv } from './csv';
import { shortDays } from './format';
import { ScrollRegion } from './ScrollRegion';
import { type Series, slotsInAll } from './series';
import styles from './Reports.module.css';

type Report = Schemas['ExecutorReport'];

/** How the slots of executors were used. */
export function ExecutorReport({ query, zone }: { query: UseQueryResult<Report>; zone: string }) {
  const { t } = useTranslation('reports');
  return (
    <section className={styles.part} aria-labelledby="report-executors">
      <div className={styles.partHead}>
        <h2 id="report-executors">{t('executors')}</h2>
      </div>
      {query.isError && <ErrorNote error={query.error} retry={() => void query.refetch()} />}
      {query.isPending && !query.isError && <Skeleton rows={3} />}
      {query.data?.attempts === 0 && <p className={styles.hint}>{t('noAttempts')}</p>}
      {query.data && query.data.attempts > 0 && (
        <>
          {!query.data.complete && query.data.sampleSince !== undefined && (
            <p className={styles.hint}>
              {t('attemptsSince', { since: exact(Date.parse(query.data.sampleSince), { zone }).slice(0, 16) })}
            </p>
          )}
          <Slots report={query.data} zone={zone} />
          <Executors report={query.data} />
        </>
      )}
    </section>
  );
}

function Slots({ report, zone }: { report: Report; zone: string }) {
  const { t, i18n } = useTranslation('reports');
  const hourly = report.step === 'hour';
  const number = useCallback(
    (v: number) => v.toLocaleString(i18n.language, { maximumFractionDigits: v < 10 ? 2 : 0 }),
    [i18n.language],
  );
  const names = useMemo(
    () => report.parts.map((p) => exact(Date.parse(p), { zone }).slice(0, hourly ? 16 : 10)),
    [report.parts, zone, hourly],
  );
  const labels = useMemo(
    () => (hourly ? names.map((n) => n.slice(5, 16)) : shortDays(names, i18n.language)),
    [names, hourly, i18n.language],
  );
  const series = useMemo<Series[]>(
    () => [{ label: t('slotsUsed'), color: '--running', values: slotsInAll(report.executors) }],
    [report.executors, t],
  );
  const values = series[0]?.values ?? [];
  const most = Math.max(...values.map((v) => v ?? 0));
  return (
    <Chart
      bars
      title={hourly ? t('slotsByHour') : t('slotsByDay')}
      summary={t(hourly ? 'slotsSummaryHour' : 'slotsSummary', {
        most: number(most),
        at: names[values.indexOf(most)] ?? '',
      })}
      names={names}
      labels={labels}
      labelHead={hourly ? t('hour', { zone }) : t('day', { zone })}
      series={series}
      format={number}
      file="slots"
    />
  );
}

function Executors({ report }: { report: Report }) {
  const { t, i18n } = useTranslation('reports');
  const span = useSpan();
  const number = (v: number) => v.toLocaleString(i18n.language, { maximumFractionDigits: 2 });
  const most = t(report.step === 'hour' ? 'mostHour' : 'mostDay');
  const rows = report.executors.map((e) => ({
    name: e.name,
    busy: e.busySeconds,
    average: e.slots.reduce((a, b) => a + b, 0) / Math.max(e.slots.length, 1),
    most: Math.max(0, ...e.slots),
  }));
  const save = () => {
    saveCsv('executors', [
      [t('executor'), t('busy'), t('average'), most],
      ...rows.map((r) => [r.name ?? t('others'), r.busy, r.average, r.most]),
    ]);
  };
  return (
    <>
      <ScrollRegion label={t('executors')}>
        <table className={styles.rows}>
          <caption className="hg-visually-hidden">{t('executors')}</caption>
          <thead>
            <tr>
              <th scope="col">{t('executor')}</th>
              <th scope="col">{t('busy')}</th>
              <th scope="col">{t('average')}</th>
              <th scope="col">{most}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((r) => (
              <tr key={r.name ?? ''}>
                <th scope="row">
                  {r.name === undefined ? (
                    t('others')
                  ) : (
                    <Link to="/executors" search={{ executor: r.name }}>
                      {r.name}
                    </Link>
                  )}
                </th>
                <td>{span(r.busy * 1000)}</td>
                <td>{number(r.average)}</td>
                <td>{number(r.most)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      <button type="button" className={styles.link} onClick={save}>
        {t('csv')}
      </button>
    </>
  );
}
