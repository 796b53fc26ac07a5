import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, data } from '@/api/client';
import { keys } from '@/api/queries';
import { ErrorNote, Dialog, toast } from '@/ui';
import type { Executor } from './executors';

/** What a person can do with an executor. */
export type Act = 'offline' | 'online' | 'drain' | 'undrain' | 'forget';

/** Asks, in words of what will happen, before an executor is drained, taken offline or back, or forgotten. */
export function Ask({ executor, act, onClose }: { executor: Executor; act: Act; onClose: () => void }) {
  const { t } = useTranslation(['executors', 'common']);
  const client = useQueryClient();
  const { name, running } = executor;
  const path = { params: { path: { name } } };
  const change = useMutation({
    mutationFn: async () => {
      if (act === 'forget') await api.DELETE('/api/v1/executors/{name}', path);
      else if (act === 'drain' || act === 'undrain')
        await data(api.PUT('/api/v1/executors/{name}/drain', { ...path, body: { drained: act === 'drain' } }));
      else await data(api.PUT('/api/v1/executors/{name}/offline', { ...path, body: { offline: act === 'offline' } }));
    },
    onSuccess: () => {
      toast(t(`executors:said.${act}`, { name }));
      onClose();
    },
    onSettled: () => client.invalidateQueries({ queryKey: keys.executors }),
  });
  return (
    <Dialog
      opened
      onClose={onClose}
      title={t(`executors:ask.${act}.title`, { name })}
      footer={
        <>
          <Button onClick={onClose}>{t('common:cancel')}</Button>
          <Button
            variant="filled"
            loading={change.isPending}
            onClick={() => {
              change.mutate();
            }}
          >
            {t(`executors:ask.${act}.go`)}
          </Button>
        </>
      }
    >
      <p>
        {t(`executors:ask.${act}.words`)} {running > 0 && t('executors:ask.running', { count: running })}
      </p>
      {change.isError && <ErrorNote error={change.error} />}
    </Dialog>
  );
}
