import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import styles from './Inspector.module.css';

interface Props {
  title?: string;
  /** How many of its fields say something. */
  count?: number;
  /** Something in it is wrong: it opens. */
  wrong?: boolean;
  children: ReactNode;
}

/** Fields that are rarely used: folded, unless one is set or wrong. */
export function More({ title, count = 0, wrong = false, children }: Props) {
  const { t } = useTranslation('inspector');
  const [picked, setPicked] = useState<boolean>();
  const [first] = useState(count > 0);
  const open = picked ?? (first || wrong);
  return (
    <details
      className={styles.more}
      open={open}
      onToggle={(event) => {
        if (event.currentTarget.open !== open) setPicked(event.currentTarget.open);
      }}
    >
      <summary>
        {title ?? t('more')}
        {!open && (wrong || count > 0) && (
          <small data-wrong={wrong || undefined}>{wrong ? t('moreWrong') : t('moreSet', { count })}</small>
        )}
      </summary>
      {open && <div className={styles.inner}>{children}</div>}
    </details>
  );
}
