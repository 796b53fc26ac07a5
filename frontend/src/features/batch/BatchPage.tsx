import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '@/api/client';
import { definitionQuery } from '@/api/queries';
import { useBatch, useLiveBatch } from '@/live';
import { Empty, ErrorNote } from '@/ui';
import { BatchView } from './BatchView';
import styles from './BatchPage.module.css';

/** The page of a batch, with live changes. */
export function BatchPage() {
  const { id } = useParams({ from: '/shell/batches/$id' });
  return Number.isSafeInteger(id) && id > 0 ? <LiveBatchPage key={id} id={id} /> : <NoBatch />;
}

function LiveBatchPage({ id }: { id: number }) {
  const { store, error, deleted, retry } = useLiveBatch(id);
  const batch = useBatch(store);
  const definition = useQuery({
    ...definitionQuery(id, batch?.revision ?? 0),
    enabled: batch !== undefined,
    placeholderData: (before) => before,
  });
  if (!batch) {
    if (error instanceof ApiError && error.status === 404) return <NoBatch id={id} />;
    return error ? (
      <div className={styles.alone}>
        <ErrorNote error={error} retry={retry} />
      </div>
    ) : (
      <LoadingOutline />
    );
  }
  return (
    <BatchView
      batch={batch}
      deleted={deleted}
      store={store}
      definition={definition.data}
      problem={definition.error}
      retry={() => void definition.refetch()}
    />
  );
}

function NoBatch({ id }: { id?: number }) {
  const { t } = useTranslation('batch');
  return (
    <Empty title={id ? t('missing.title', { id }) : t('missing.noId')} asPage>
      <p>{t('missing.detail')}</p>
      <Link to="/batches">{t('missing.home')}</Link>
    </Empty>
  );
}

/** The outline of a loading page. It appears after a short delay, so that it does not flicker. */
function LoadingOutline() {
  const { t } = useTranslation('common');
  const [visible, setVisible] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => {
      setVisible(true);
    }, 200);
    return () => {
      clearTimeout(timer);
    };
  }, []);
  if (!visible) return null;
  return (
    <div role="status" aria-label={t('loading')} className={styles.outline}>
      <Skeleton height={52} radius={0} />
      <div>
        {[1, 2, 3, 4].map((n) => (
          <Skeleton key={n} height={92} radius="md" />
        ))}
      </div>
    </div>
  );
}
