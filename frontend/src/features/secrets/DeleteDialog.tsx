import { Button, Checkbox } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, ApiError } from '@/api/client';
import { secretKeys } from '@/api/secrets';
import { Dialog, ErrorNote, toast } from '@/ui';

interface Props {
  kind: 'secret' | 'connection';
  name: string;
  onClose: () => void;
}

/** Deletes a secret or a connection. If it is used, the server says by what, and a person may insist. */
export function DeleteDialog({ kind, name, onClose }: Props) {
  const { t } = useTranslation(['secrets', 'common']);
  const client = useQueryClient();
  const [force, setForce] = useState(false);
  const remove = useMutation({
    mutationFn: () =>
      kind === 'secret'
        ? api.DELETE('/api/v1/secrets/{secret}', { params: { path: { secret: name }, query: { force } } })
        : api.DELETE('/api/v1/connections/{name}', { params: { path: { name }, query: { force } } }),
    onSuccess: () => {
      toast(t('secrets:delete.done', { name }));
      onClose();
    },
    onSettled: () =>
      client.invalidateQueries({ queryKey: kind === 'secret' ? secretKeys.secrets : secretKeys.connections }),
  });
  const used = remove.error instanceof ApiError && remove.error.status === 409;
  return (
    <Dialog
      opened
      onClose={onClose}
      title={t(`secrets:delete.${kind}`, { name })}
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
            {t('secrets:delete.go')}
          </Button>
        </>
      }
    >
      <p>{t(`secrets:delete.${kind}Text`)}</p>
      {remove.error && <ErrorNote error={remove.error} />}
      {(used || force) && (
        <Checkbox
          mt={12}
          label={t('secrets:delete.force')}
          checked={force}
          onChange={(event) => {
            setForce(event.currentTarget.checked);
          }}
        />
      )}
    </Dialog>
  );
}
