import { useTranslation } from 'react-i18next';
import type { GraphJob } from '@/graph';
import { cardId, type Lane, LaneTitle, laneMark, useSceneState, useSceneContext } from '@/scene';
import { jobOf } from '@/document';
import { useDoc } from '../context';
import styles from './LaneHead.module.css';

/** The head of a lane: a press selects its job, dragging its grip moves it. */
export function LaneHead({ lane, job, narrow }: { lane: Lane; job?: GraphJob; narrow: boolean }) {
  const { t } = useTranslation('canvas');
  const { id } = useSceneContext();
  const selected = useDoc((s) => s.selection.job === lane.key);
  const off = useDoc((s) => jobOf(s.doc, lane.key)?.disabled === true);
  const active = useSceneState((s) => s.focused && s.active === laneMark(lane.key));
  const name = job?.title ?? lane.key;
  return (
    <div className={styles.front} data-narrow={narrow || undefined} data-short={job?.tasks.length === 0 || undefined}>
      <div
        id={cardId(id, laneMark(lane.key))}
        role="button"
        tabIndex={-1}
        aria-pressed={selected}
        className={styles.head}
        data-lane-head={lane.key}
        data-selected={selected || undefined}
        data-active={active || undefined}
        data-off={off || undefined}
      >
        <LaneTitle index={lane.index} job={job} note={off ? t('lane.off') : undefined} />
        <span className="hg-visually-hidden">
          {t('lane.name', { n: lane.index + 1, job: name, count: job?.tasks.length ?? 0 })}
          {off && `, ${t('lane.off')}`}
        </span>
      </div>
      <span className={styles.grip} data-grip={lane.key} title={t('lane.grip')} aria-hidden="true" />
    </div>
  );
}
