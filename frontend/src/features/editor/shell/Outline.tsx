import { Skeleton } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import styles from './Page.module.css';

/** The outline appears only after so many milliseconds, so that quick loading does not flicker. */
const DELAY = 150;

/** The outline of a view that is loaded, or of the `page` with its header. */
export function Outline({ page = false }: { page?: boolean }) {
  const { t } = useTranslation('common');
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => {
      setLate(true);
    }, DELAY);
    return () => {
      clearTimeout(timer);
    };
  }, []);
  if (!late) return null;
  return (
    <div role="status" aria-label={t('loading')} className={styles.outline}>
      {page && <Skeleton height={52} radius={0} />}
      <div>
        {[1, 2, 3, 4].map((n) => (
          <Skeleton key={n} height={92} radius="md" />
        ))}
      </div>
    </div>
  );
}
