import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { exact } from '@/ui';
import styles from './Alarms.module.css';

type Alarm = Schemas['TickAlarm'];

/** What keeps ticks from being decided. A person must look, so it stands above everything else. */
export function Alarms({ alarms }: { alarms: Alarm[] }) {
  const { t } = useTranslation('schedules');
  if (alarms.length === 0) return null;
  return (
    <section className={styles.alarms} role="alert" aria-label={t('alarms.label')}>
      {alarms.map((alarm) => (
        <p key={`${alarm.reason} ${alarm.schedule ?? ''}`}>
          <b>{alarm.schedule ? t('alarms.about', { schedule: alarm.schedule }) : t('alarms.title')}</b>{' '}
          {t('alarms.since', { at: exact(alarm.since) })}.{' '}
          {t(`alarms.${alarm.reason}`, { defaultValue: alarm.detail, ...shown(alarm.params) })}
        </p>
      ))}
    </section>
  );
}

/** The params of an alarm, with moments as the page shows them. */
function shown(params: Record<string, string> = {}): Record<string, string> {
  return params.until ? { ...params, until: exact(params.until) } : params;
}
