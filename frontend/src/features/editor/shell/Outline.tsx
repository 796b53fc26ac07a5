import { Skeleton } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import styles from './Page.module.css';

/** What comes within so many milliseconds is not announced by a flicker. */
const PATIENCE = 150;

/** The outline of what is to come. */
export function Outline({ whole }: { whole?: boolean }) {
  const { t } = useTranslation('common');
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => {
      setLate(true);
    }, PATIENCE);
    return () => {
      clearTimeout(timer);
    };
  }, []);
  if (!late) return null;
  return (
    <div role="status" aria-label={t('loading')} className={styles.outline}>
      {whole && <Skeleton height={52} radius={0} />}
      <div>
        {[1, 2, 3, 4].map((n) => (
          <Skeleton key={n} height={92} radius="md" />
        ))}
      </div>
    </div>
  );
}
