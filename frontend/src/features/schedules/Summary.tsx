import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { overviewQuery } from '@/api/queries';
import { usePollInterval } from '@/live';
import { useExact } from '@/ui';
import type { Show } from './search';
import { Paused } from './Paused';
import styles from './Summary.module.css';

/** The state of overview schedules in one line. Each number links to the schedules or batches that it counts. */
export function Summary({ show }: { show?: Show }) {
  const { t, i18n } = useTranslation('schedules');
  const refetchInterval = usePollInterval(30_000); // a batch becomes late without a live change
  const { data: overview } = useQuery({ ...overviewQuery, refetchInterval });
  const rate =
    overview && overview.ended > 0
      ? new Intl.NumberFormat(i18n.language, { style: 'percent', maximumFractionDigits: 1 }).format(
          floorRate(overview.succeeded, overview.ended),
        )
      : undefined;
  return (
    <>
      {overview?.alarms && <Alarms alarms={overview.alarms} />}
      <Paused />
      <div className={styles.sum} aria-busy={!overview}>
        {overview && (
          <>
            <Kind
              kind="person"
              shown={show}
              n={overview.needsPerson}
              label={t('sum.person', { count: overview.needsPerson })}
            />
            <Link to="/batches" search={{ state: 'running' }}>
              <Number n={overview.running} label={t('sum.running', { count: overview.running })} />
            </Link>
            {overview.queued > 0 && (
              <Link to="/batches" search={{ state: 'queued' }}>
                <Number n={overview.queued} label={t('sum.queued', { count: overview.queued })} />
              </Link>
            )}
            <Kind kind="late" shown={show} n={overview.late} label={t('sum.late', { count: overview.late })} />
            {rate && (
              <Link to="/batches" search={{ state: 'succeeded', since: '30d' }}>
                <Number n={rate} label={t('sum.rate')} />
              </Link>
            )}
            <Link
              to="/executors"
              className={styles.executors}
              data-state={overview.executors === 0 ? 'failed' : undefined}
            >
              {t('sum.executors', { count: overview.executors, busy: overview.busy, slots: overview.slots })}
            </Link>
          </>
        )}
      </div>
    </>
  );
}

const COLOURS: Record<string, string> = { person: 'failed', late: 'retrying' };

/** The number of schedules of one kind. The link filters the list by the kind, or removes the filter. */
function Kind({ kind, shown, n, label }: { kind: Show; shown?: Show; n: number; label: string }) {
  const isActive = shown === kind;
  return (
    <Link
      to="/"
      search={isActive ? {} : { show: kind }}
      aria-current={isActive ? 'true' : undefined}
      data-state={n > 0 ? COLOURS[kind] : undefined}
    >
      <Number n={n} label={label} />
    </Link>
  );
}

function Number({ n, label }: { n: number | string; label: ReactNode }) {
  const { i18n } = useTranslation();
  return (
    <>
      <b>{typeof n === 'number' ? new Intl.NumberFormat(i18n.language).format(n) : n}</b> {label}
    </>
  );
}

/** The ratio of two counts, rounded down, so that it is 1 only if both are equal. */
function floorRate(part: number, total: number): number {
  return part === total ? 1 : Math.floor((part / total) * 1000) / 1000;
}

type Alarm = Schemas['TickAlarm'];

/** The alarms: why ticks cannot be decided. They need a person, so they are at the top of the page. */
function Alarms({ alarms }: { alarms: Alarm[] }) {
  const { t } = useTranslation('schedules');
  const exact = useExact();
  if (alarms.length === 0) return null;
  return (
    <section className={styles.alarms} role="alert" aria-label={t('alarms.label')}>
      {alarms.map((alarm) => (
        <p key={`${alarm.reason} ${alarm.schedule ?? ''}`}>
          <b>{alarm.schedule ? t('alarms.about', { schedule: alarm.schedule }) : t('alarms.title')}</b>{' '}
          {t('alarms.since', { at: exact(alarm.since) })}.{' '}
          {t(`alarms.${alarm.reason}`, { defaultValue: alarm.detail, ...formatParams(alarm.params, exact) })}
        </p>
      ))}
    </section>
  );
}

/** The params of an alarm, with formatted moments. */
function formatParams(params: Record<string, string> = {}, exact: (at: string) => string): Record<string, string> {
  return params.until ? { ...params, until: exact(params.until) } : params;
}
