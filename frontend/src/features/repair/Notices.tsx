import { useTranslation } from 'react-i18next';
import { ErrorNote, useTaskNames } from '@/ui';
import type { Planner } from './usePlan';
import styles from './Repair.module.css';

/** What has happened to the plan since it was asked for: refused, moved, stored, or nobody knows. */
export function Notices({ planner }: { planner: Planner }) {
  const { t } = useTranslation('repair');
  const nameOf = useTaskNames();
  const { phase, error, moved } = planner;
  if (phase === 'stored') {
    return (
      <div className={styles.notice} role="status">
        <b>{t('stored.title')}</b>
        <p>{t('stored.detail')}</p>
      </div>
    );
  }
  if (phase === 'unsure') {
    return (
      <div className={styles.warning} role="alert">
        <b>{t('unsure.title')}</b>
        <p>{t('unsure.detail')}</p>
      </div>
    );
  }
  if (error !== undefined) return <ErrorNote error={error} />;
  if (!moved) return null;
  return (
    <div className={styles.warning} role="alert">
      <b>{t('moved.title')}</b>
      <p>{t(moved.changed.size > 0 || moved.gone.length > 0 ? 'moved.detail' : 'moved.same')}</p>
      {moved.gone.length > 0 && (
        <p>{t('moved.gone', { count: moved.gone.length, tasks: few(moved.gone.map(nameOf)) })}</p>
      )}
    </div>
  );
}

/** The first of many names. */
function few(names: string[]): string {
  return names.slice(0, 12).join(', ') + (names.length > 12 ? ' …' : '');
}
