import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { keys } from '@/api/queries';
import { Dialog, ErrorNote, toast } from '@/ui';
import { deleteDocument, type DocumentKind } from './calls';

/** Deletes a rule or a channel after a confirmation. The server refuses a channel that rules name. */
export function DeleteDialog({ kind, name, onClose }: { kind: DocumentKind; name: string; onClose: () => void }) {
  const { t } = useTranslation(['alerts', 'common']);
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => deleteDocument(kind, name),
    onSuccess: () => {
      toast(t('alerts:delete.done', { name }));
      onClose();
    },
    onSettled: () => client.invalidateQueries({ queryKey: keys.alerts }),
  });
  return (
    <Dialog
      opened
      onClose={onClose}
      title={t(`alerts:delete.${kind}`, { name })}
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
            {t('alerts:delete.go')}
          </Button>
        </>
      }
    >
      <p>{t(`alerts:delete.${kind}Text`)}</p>
      {remove.error && <ErrorNote error={remove.error} />}
    </Dialog>
  );
}
