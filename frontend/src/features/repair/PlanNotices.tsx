import { useTranslation } from 'react-i18next';
import { ErrorNote, useTaskNames } from '@/ui';
import { type RepairPlan, summarise } from './plan';
import type { RepairState } from './repairMachine';
import styles from './Repair.module.css';

/** What happened to the plan since it was asked for: it was refused, replaced or stored, or the answer was lost. */
export function PlanNotices({ state }: { state: RepairState }) {
  const { t } = useTranslation('repair');
  const nameOf = useTaskNames();
  const { phase, error, moved } = state;
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
        <p>{t('moved.gone', { count: moved.gone.length, tasks: firstNames(moved.gone.map(nameOf)) })}</p>
      )}
    </div>
  );
}

/** The first of many names. */
function firstNames(names: string[]): string {
  return names.slice(0, 12).join(', ') + (names.length > 12 ? ' …' : '');
}

/** Warns of the running tasks that the plan kills. It stands before the rows. */
export function KillWarning({ plan }: { plan: RepairPlan }) {
  const { t, i18n } = useTranslation('repair');
  const count = summarise(plan, 0).kill;
  if (count === 0) return <p className="hg-quiet">{t('asItGoes')}</p>;
  return (
    <p className={styles.killed}>
      <b>{t(plan.action === 'cancel' ? 'kill' : 'killFirst', { count, n: count.toLocaleString(i18n.language) })}</b>
      {plan.action === 'cancel' && ` ${t('asItGoes')}`}
    </p>
  );
}
