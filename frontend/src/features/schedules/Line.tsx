import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { done, total } from '@/ui';
import { latest, type Recent, type Schedule, troubled } from './rows';
import styles from './Schedules.module.css';

/** How the latest batch of a schedule is, in a few words, with a link to it. */
export function Line({ schedule }: { schedule: Schedule }) {
  const batch = troubled(schedule) ?? latest(schedule);
  const words = useWords(batch);
  if (!batch) return <span className={styles.words}>{words}</span>;
  return (
    <Link
      className={styles.words}
      to="/batches/$id"
      params={{ id: batch.id }}
      preload={false}
      data-state={batch.state === 'failed' && !batch.closed ? 'failed' : undefined}
    >
      {words}
    </Link>
  );
}

function useWords(batch?: Recent): string {
  const { t } = useTranslation(['schedules', 'states']);
  if (!batch) return t('states:none');
  const { counts, state, wish, closed } = batch;
  const failed = counts.failed ?? 0;
  const skipped = counts.skipped ?? 0;
  if (state === 'running') {
    const progress = { done: done(counts, state), all: total(counts) };
    if (wish === 'cancel') return t('schedules:line.canceling');
    if (failed > 0) return t('schedules:line.runningFailed', { count: failed });
    return total(counts) === 0
      ? t('states:running')
      : wish === 'pause'
        ? t('schedules:line.paused', progress)
        : t('schedules:line.running', progress);
  }
  if (state !== 'failed') return t(`states:${state}`);
  if (closed) return t('schedules:line.closed');
  return skipped > 0 ? t('schedules:line.failedSkipped', { count: skipped }) : t('states:failed');
}
