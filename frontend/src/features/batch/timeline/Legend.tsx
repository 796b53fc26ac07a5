import { useTranslation } from 'react-i18next';
import { Slow } from '@/ui';
import styles from './Timeline.module.css';

/** The kinds of waits, in the order of the legend. */
const WAITS = ['needs', 'slot', 'retry', 'start'] as const;

/** What the marks of the timeline mean. */
export function Legend({ hasUsual, live }: { hasUsual: boolean; live: boolean }) {
  const { t } = useTranslation('timeline');
  return (
    <ul className={styles.legend} aria-label={t('legend.label')}>
      {hasUsual && (
        <li>
          <span className={styles.sample}>
            <i className={styles.ghost} />
            <i className={styles.bar} data-state="succeeded" />
          </span>
          {t('legend.usual')}
        </li>
      )}
      {WAITS.map((kind) => (
        <li key={kind}>
          <span className={styles.sample}>
            <i className={styles.wait} data-kind={kind} />
          </span>
          {t(`legend.${kind}`)}
        </li>
      ))}
      <li>
        <span className={styles.sample}>
          <i className={styles.on} data-kind="ran" />
        </span>
        {t(live ? 'legend.pathNow' : 'legend.path')}
      </li>
      {hasUsual && (
        <li>
          <Slow>00:00</Slow>
          {t('legend.long')}
        </li>
      )}
    </ul>
  );
}
