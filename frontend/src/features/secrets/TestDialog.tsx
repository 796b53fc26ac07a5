import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { api, data, type Schemas } from '@/api/client';
import { Dialog, ErrorNote, useSpan } from '@/ui';
import styles from './Secrets.module.css';

/** Tries a connection on an executor as soon as it opens, and shows what became of it. */
export function TestDialog({ name, onClose }: { name: string; onClose: () => void }) {
  const { t } = useTranslation(['secrets', 'common']);
  const { mutate, ...test } = useMutation({
    mutationFn: () => data(api.POST('/api/v1/connections/{name}/tests', { params: { path: { name } }, body: {} })),
  });
  useEffect(() => {
    mutate();
  }, [mutate]);
  return (
    <Dialog
      opened
      onClose={onClose}
      title={t('secrets:test.title', { name })}
      summary={t('secrets:test.summary')}
      busy={test.isPending}
      footer={
        <>
          <Button onClick={onClose}>{t('common:close')}</Button>
          <Button
            variant="filled"
            loading={test.isPending}
            onClick={() => {
              mutate();
            }}
          >
            {t('secrets:test.again')}
          </Button>
        </>
      }
    >
      {test.error && <ErrorNote error={test.error} />}
      <div role="status">
        {test.isPending && <p className={styles.quiet}>{t('secrets:test.running')}</p>}
        {test.data && <Result {...test.data} />}
      </div>
    </Dialog>
  );
}

function Result({ ok, detail, group, executor, tookMillis, batch }: Schemas['ConnectionTest']) {
  const { t } = useTranslation('secrets');
  const span = useSpan();
  return (
    <p className={styles.answer} data-state={ok ? 'ok' : 'failed'}>
      <b>{t(ok ? 'test.ok' : 'test.failed')}</b>{' '}
      {t('test.where', { executor: executor || '–', group, took: span(tookMillis) })} {detail}{' '}
      <Link to="/batches/$id" params={{ id: batch }}>
        {t('test.log')}
      </Link>
    </p>
  );
}
