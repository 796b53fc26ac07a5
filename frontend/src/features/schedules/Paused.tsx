import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { limitsQuery } from '@/api/limits';
import { usePollInterval } from '@/live';
import { Ago } from '@/ui';
import styles from './Summary.module.css';

/** Poll interval in milliseconds: the live connection does not report limits. */
const POLL = 15_000;

/** Says that nothing starts, because a person has set the limit of the whole server to 0. */
export function Paused() {
  const { t } = useTranslation('schedules');
  const { data: limits } = useQuery({ ...limitsQuery, refetchInterval: usePollInterval(POLL) });
  const server = limits?.find((limit) => limit.kind === 'server' && limit.most === 0);
  if (!server) return null;
  return (
    <section className={styles.alarms} role="status" aria-label={t('paused.title')}>
      <p>
        <b>{t('paused.title')}</b> {t('paused.by', { person: server.setBy })} <Ago at={server.setAt} />
        {server.reason && `: ${server.reason}`}. <Link to="/settings">{t('paused.change')}</Link>
      </p>
    </section>
  );
}
