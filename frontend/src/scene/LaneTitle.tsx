import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { GraphJob } from '@/graph';
import styles from './LanesAndEdges.module.css';

/** A lane's number and title, and a note, which is the number of its tasks if it is left out. */
export function LaneTitle({ index, job, note }: { index: number; job?: GraphJob; note?: ReactNode }) {
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
        <small>{note ?? (job?.tasks.length ? t('tasks', { count: job.tasks.length }) : t('noTasks'))}</small>
      </span>
    </>
  );
}
