import { Tooltip } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useTook } from '@/ui';
import type { CriticalPath, Part } from './critical';
import styles from './Timeline.module.css';

const KINDS: readonly Part['kind'][] = ['ran', 'slot', 'retry', 'start', 'needs', 'other'];

/** A part of less than this share of the path is not named. */
const LEAST = 0.03;

/** How long the critical path took, and how much of it was waiting. */
export function PathSum({ path }: { path: CriticalPath }) {
  const { t } = useTranslation('timeline');
  const took = useTook();
  const { sums, total, to } = path;
  const waited = total - (sums.ran ?? 0);
  const kinds = KINDS.filter((kind) => (sums[kind] ?? 0) > total * LEAST);
  const isShown = kinds.length > 1 || !kinds.includes('ran');
  const all = t('path.all', { time: took(total), waited: took(waited) });
  return (
    <Tooltip label={t(`path.about.${to}`)} multiline maw={340}>
      <div className={styles.sum} role="group" aria-label={t('path.label')}>
        <span>
          <b>{t(`path.${to}`)}</b> {isShown ? all : took(total)}
        </span>
        <span className={styles.shares} aria-hidden="true">
          {kinds.map((kind) => (
            <i key={kind} data-kind={kind} style={{ flexGrow: sums[kind] ?? 0 }} />
          ))}
        </span>
        {kinds
          .filter((kind) => kind !== 'ran')
          .map((kind) => (
            <span key={kind} data-kind={kind} className={styles.share}>
              {t(`path.sum.${kind}`, { time: took(sums[kind] ?? 0) })}
            </span>
          ))}
      </div>
    </Tooltip>
  );
}
