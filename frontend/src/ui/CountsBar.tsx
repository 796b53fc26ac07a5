import { Tooltip } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { type Counts, segments } from './counts';
import styles from './CountsBar.module.css';

/**
 * Progress by counts: one part for each state, in its colour. The tooltip and screen readers have the words. Draws
 * nothing without counts, and takes the width of its container.
 */
export function CountsBar({ counts, height = 6 }: { counts?: Counts; height?: number }) {
  const { t } = useTranslation(['common', 'states']);
  const parts = segments(counts ?? {});
  if (parts.length === 0) return null;
  const text = parts
    .map((p) => t('common:countOf', { n: p.count, state: t(`states:${p.state}`) }))
    .join(t('common:listComma'));
  return (
    <Tooltip label={text}>
      <span className={styles.bar} style={{ height }} role="img" aria-label={text}>
        {parts.map((p) => (
          <i key={p.state} data-state={p.state} style={{ flexGrow: p.count }} />
        ))}
      </span>
    </Tooltip>
  );
}
