import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useExact } from '@/ui';
import type { Alert } from './calls';
import styles from './Alerts.module.css';

/** The kind of an alert in words. A recovery names what is over. */
export function useKindText(): (alert: Pick<Alert, 'kind' | 'of'>) => string {
  const { t } = useTranslation('alerts');
  return ({ kind, of }) => (of ? t('recovered', { what: t(`kind.${of}`) }) : t(`kind.${kind}`));
}

/** What an alert is about, with a link to its page, and the first line of its error. */
export function About({ alert }: { alert: Alert }) {
  const { t } = useTranslation('alerts');
  const { batch, batchGone, schedule, executor, channel, task, moment, error } = alert;
  const exact = useExact();
  const details = [
    moment && t('about.moment', { at: exact(moment) }),
    task && t('about.task', { task }),
    error?.trim().split('\n', 1)[0],
  ].filter(Boolean);
  return (
    <>
      {batchGone ? (
        <span>
          <bdi>{schedule || t('about.single')}</bdi> {t('about.gone', { id: batch })}
        </span>
      ) : batch ? (
        <Link to="/batches/$id" params={{ id: batch }} search={task ? { task } : {}}>
          <bdi>{schedule || t('about.single')}</bdi> {t('about.batch', { id: batch })}
        </Link>
      ) : schedule ? (
        <Link to="/schedules/$name/ticks" params={{ name: schedule }}>
          <bdi>{schedule}</bdi>
        </Link>
      ) : executor ? (
        <Link to="/executors" search={{ executor }}>
          {t('about.executor', { name: executor })}
        </Link>
      ) : channel ? (
        <Link to="/alerts" search={{ view: 'channels' }}>
          {t('about.channel', { name: channel })}
        </Link>
      ) : (
        t('about.server')
      )}
      {details.length > 0 && (
        <small className={styles.error} title={error}>
          {details.join(' · ')}
        </small>
      )}
    </>
  );
}
