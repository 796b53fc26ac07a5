import { useTranslation } from 'react-i18next';
import styles from './Chain.module.css';

const KINDS = ['usual', 'expected', 'met', 'open', 'critical', 'begins'] as const;

/** What the shapes of the chart mean. */
export function Legend() {
  const { t } = useTranslation('chain');
  return (
    <ul className={styles.legend} aria-label={t('legend.label')}>
      {KINDS.map((kind) => (
        <li key={kind}>
          <svg width={30} height={16} aria-hidden="true">
            {kind === 'usual' && <rect className={styles.usual} x={0.5} y={0.5} width={29} height={15} rx={4} />}
            {kind === 'expected' && <rect className={styles.ahead} x={1} y={2.5} width={28} height={11} rx={3} />}
            {kind === 'met' && <path className={styles.edge} data-met d="M0 8H30" />}
            {kind === 'open' && <path className={styles.edge} d="M0 8H30" />}
            {kind === 'critical' && <path className={styles.edge} data-critical d="M0 8H30" />}
            {kind === 'begins' && (
              <g className={styles.begins}>
                <rect x={0} y={6} width={28} height={4} rx={2} />
                <path d="M28.5 2V14" />
              </g>
            )}
          </svg>
          {t(`legend.${kind}`)}
        </li>
      ))}
    </ul>
  );
}
