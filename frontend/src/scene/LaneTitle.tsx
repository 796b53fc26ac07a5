import { useTranslation } from 'react-i18next';
import type { GraphJob } from '@/graph';
import styles from './LanesAndEdges.module.css';

/** A lane's number, title and count. */
export function LaneTitle({ index, job }: { index: number; job?: GraphJob }) {
  const { t } = useTranslation('scene');
  return (
    <>
      <span className={styles.no} aria-hidden="true" data-head="">
        {index + 1}
      </span>
      <span className={styles.head} aria-hidden="true" data-head="">
        <b>
          <bdi>{job?.title ?? job?.key}</bdi>
        </b>
        <small>{job?.tasks.length ? t('tasks', { count: job.tasks.length }) : t('noTasks')}</small>
      </span>
    </>
  );
}
