import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api } from '@/api/client';
import { type Limit, limitKeys } from '@/api/limits';
import { Dialog, ErrorNote, toast } from '@/ui';

/** Removes a limit or a pool, after a person has read what follows. */
export function RemoveDialog({ limit, onClose }: { limit: Limit; onClose: () => void }) {
  const { t } = useTranslation(['settings', 'common']);
  const client = useQueryClient();
  const { kind, name } = limit;
  const remove = useMutation({
    mutationFn: () =>
      api.DELETE('/api/v1/limits', {
        params: { query: { kind, name: kind === 'server' ? undefined : name } },
      }),
    onSuccess: () => {
      toast(t(`settings:removed.${kind}`, { name }));
      onClose();
    },
    onSettled: () => client.invalidateQueries({ queryKey: limitKeys.all }),
  });
  return (
    <Dialog
      opened
      onClose={onClose}
      title={t(`settings:remove.title.${kind}`, { name })}
      footer={
        <>
          <Button onClick={onClose}>{t('common:cancel')}</Button>
          <Button
            variant="filled"
            loading={remove.isPending}
            onClick={() => {
              remove.mutate();
            }}
          >
            {t('settings:remove.go')}
          </Button>
        </>
      }
    >
      <p>{t(kind === 'pool' ? 'settings:remove.pool' : 'settings:remove.limit')}</p>
      {remove.error && <ErrorNote error={remove.error} />}
    </Dialog>
  );
}
