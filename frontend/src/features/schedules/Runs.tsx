import { Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { scheduleQuery } from '@/api/queries';
import { describeCron } from '@/cron';
import { exact, TimeUntil } from '@/ui';
import type { Schedule } from './rows';
import styles from './Runs.module.css';

/** How many triggers a row tells before it counts the rest. */
const MOST = 2;

/** When a schedule runs by itself: its crons in words, or as they are where there are no sure words for them. */
export function Runs({ schedule }: { schedule: Schedule }) {
  const { t, i18n } = useTranslation('schedules');
  const { t: inWords } = useTranslation('cron');
  const triggers = schedule.triggers ?? [];
  if (triggers.length === 0) return <span className={styles.quiet}>{t('runs.byHand')}</span>;
  return (
    <Tooltip label={<Moments schedule={schedule} />} multiline>
      <div className={styles.runs}>
        {triggers.slice(0, MOST).map((cron) => {
          const words = describeCron(cron, inWords, i18n.language);
          return (
            <div key={cron} className={words ? styles.line : styles.cron}>
              {words ?? cron}
            </div>
          );
        })}
        {triggers.length > MOST && (
          <div className={styles.quiet}>{t('runs.more', { count: triggers.length - MOST })}</div>
        )}
        {elsewhere(schedule.timezone) && <div className={styles.quiet}>{schedule.timezone}</div>}
      </div>
    </Tooltip>
  );
}

/** Whether a schedule's clock is not the reader's. */
function elsewhere(zone?: string): boolean {
  return (zone ?? 'UTC') !== Intl.DateTimeFormat().resolvedOptions().timeZone && zone !== undefined && zone !== '';
}

/** What the pointer finds: the crons as they are written, and the next moments. It asks for them when it is shown. */
function Moments({ schedule }: { schedule: Schedule }) {
  const { t } = useTranslation('schedules');
  const { data } = useQuery(scheduleQuery(schedule.name));
  const zone = schedule.timezone ?? 'UTC';
  return (
    <div className={styles.moments}>
      {schedule.triggers?.map((cron) => (
        <code key={cron}>{cron}</code>
      ))}
      <span>{zone}</span>
      {schedule.enabled &&
        (data?.nextAt ?? schedule.nextAt ?? []).map((at) => <span key={at}>{exact(at, { zone, seconds: true })}</span>)}
      {!schedule.enabled && <span>{t('next.paused')}</span>}
    </div>
  );
}

/** When it runs next; the link goes to the ledger of its ticks. */
export function Next({ schedule }: { schedule: Schedule }) {
  const { t } = useTranslation('schedules');
  const at = schedule.nextAt?.[0];
  if (!schedule.enabled && (schedule.triggers ?? []).length > 0)
    return (
      <Link className={styles.plain} to="/schedules/$name/ticks" params={{ name: schedule.name }}>
        {t('next.paused')}
      </Link>
    );
  if (!at)
    return (
      <span className={styles.quiet} data-none="" aria-label={t('next.none')}>
        —
      </span>
    );
  return (
    <Link className={styles.plain} to="/schedules/$name/ticks" params={{ name: schedule.name }} preload={false}>
      <TimeUntil at={at} zone={schedule.timezone ?? 'UTC'} />
    </Link>
  );
}
