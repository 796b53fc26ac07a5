import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Trans, useTranslation } from 'react-i18next';
import { limitsQuery } from '@/api/limits';
import { meQuery } from '@/api/queries';
import { usePollInterval } from '@/live';
import { Ago } from '@/ui';
import styles from './Summary.module.css';

/** Poll interval in milliseconds: the live connection does not report limits. */
const POLL = 15_000;

/** Says that nothing starts, because a person has set the limit of the whole server to 0. */
export function Paused() {
  const { t } = useTranslation('schedules');
  const { data: limits } = useQuery({ ...limitsQuery, refetchInterval: usePollInterval(POLL) });
  const { data: me } = useQuery(meQuery);
  const server = limits?.find((limit) => limit.kind === 'server' && limit.most === 0);
  if (!server) return null;
  return (
    <section className={styles.alarms} role="status" aria-label={t('paused.title')}>
      <p>
        <b>{t('paused.title')}</b>{' '}
        <Trans
          t={t}
          i18nKey={server.reason ? 'paused.why' : 'paused.by'}
          values={{ person: server.setBy, reason: server.reason }}
          components={{ ago: <Ago at={server.setAt} /> }}
        />{' '}
        <Link to="/settings">{t(me?.admin ? 'paused.change' : 'paused.show')}</Link>
      </p>
    </section>
  );
}
