import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, data } from '@/api/client';
import { Dialog } from '@/ui';
import { TestResult } from './TestResult';

/** Sends a test message to a channel, and shows what its service answered. */
export function TestDialog({ name, onClose }: { name: string; onClose: () => void }) {
  const { t } = useTranslation(['alerts', 'common']);
  const test = useMutation({
    mutationFn: () => data(api.POST('/api/v1/channels/{name}/tests', { params: { path: { name } }, body: {} })),
  });
  return (
    <Dialog
      opened
      onClose={onClose}
      title={t('alerts:test.title', { name })}
      summary={t('alerts:test.summary')}
      footer={
        <>
          <Button onClick={onClose}>{t('common:close')}</Button>
          <Button
            variant="filled"
            loading={test.isPending}
            onClick={() => {
              test.mutate();
            }}
          >
            {t(test.data ? 'alerts:test.again' : 'alerts:test.go')}
          </Button>
        </>
      }
    >
      <TestResult error={test.error} result={test.data} />
    </Dialog>
  );
}
