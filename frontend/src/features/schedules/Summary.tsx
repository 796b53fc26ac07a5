import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { api, data } from '@/api/client';
import { keys } from '@/api/queries';
import { useLiveStatus } from '@/live';
import { Alarms } from './Alarms';
import type { Show } from './search';
import styles from './Summary.module.css';

/** How everything is, in one line; each number leads to what it counts. */
export function Summary({ show }: { show?: Show }) {
  const { t, i18n } = useTranslation('schedules');
  const offline = useLiveStatus() === 'offline';
  const { data: all } = useQuery({
    queryKey: keys.overview,
    queryFn: ({ signal }) => data(api.GET('/api/v1/overview', { signal })),
    refetchInterval: offline ? 5_000 : 30_000, // being late comes by itself
  });
  const rate =
    all && all.ended > 0
      ? new Intl.NumberFormat(i18n.language, { style: 'percent', maximumFractionDigits: 1 }).format(
          floorRate(all.succeeded, all.ended),
        )
      : undefined;
  return (
    <>
      {all?.alarms && <Alarms alarms={all.alarms} />}
      <div className={styles.sum} aria-busy={!all}>
        {all && (
          <>
            <Kind kind="person" shown={show} n={all.needsPerson} words={t('sum.person', { count: all.needsPerson })} />
            <Link to="/batches" search={{ state: 'running' }}>
              <Number n={all.running} words={t('sum.running', { count: all.running })} />
            </Link>
            {all.queued > 0 && (
              <Link to="/batches" search={{ state: 'queued' }}>
                <Number n={all.queued} words={t('sum.queued', { count: all.queued })} />
              </Link>
            )}
            <Kind kind="late" shown={show} n={all.late} words={t('sum.late', { count: all.late })} />
            {rate && (
              <Link to="/batches" search={{ state: 'succeeded', since: '30d' }}>
                <Number n={rate} words={t('sum.rate')} />
              </Link>
            )}
            <Link to="/executors" className={styles.executors} data-state={all.executors === 0 ? 'failed' : undefined}>
              {t('sum.executors', { count: all.executors, busy: all.busy, slots: all.slots })}
            </Link>
          </>
        )}
      </div>
    </>
  );
}

const COLOURS: Record<string, string> = { person: 'failed', late: 'retrying' };

/** A number of schedules of one kind, which are here: the link chooses them, and once more lets all be seen. */
function Kind({ kind, shown, n, words }: { kind: Show; shown?: Show; n: number; words: string }) {
  const on = shown === kind;
  return (
    <Link
      to="/"
      search={on ? {} : { show: kind }}
      aria-current={on ? 'true' : undefined}
      data-state={n > 0 ? COLOURS[kind] : undefined}
    >
      <Number n={n} words={words} />
    </Link>
  );
}

function Number({ n, words }: { n: number | string; words: ReactNode }) {
  const { i18n } = useTranslation();
  return (
    <>
      <b>{typeof n === 'number' ? new Intl.NumberFormat(i18n.language).format(n) : n}</b> {words}
    </>
  );
}

/** Part of a whole, never rounded up to all of it while one is missing. */
function floorRate(part: number, whole: number): number {
  return part === whole ? 1 : Math.floor((part / whole) * 1000) / 1000;
}
