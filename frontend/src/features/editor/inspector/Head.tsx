import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from './fields/Icons';
import styles from './Inspector.module.css';

/** What a drawer is about, in a line or two. */
export function Head({ title, children, onClose }: { title: string; children?: ReactNode; onClose?: () => void }) {
  const { t } = useTranslation();
  return (
    <div className={styles.head}>
      <h2>{title}</h2>
      {onClose && (
        <button type="button" className={styles.close} aria-label={t('close')} onClick={onClose}>
          <Icon name="close" />
        </button>
      )}
      {children && <p>{children}</p>}
    </div>
  );
}
