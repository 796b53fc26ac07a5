import { Button, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SyntheticEvent, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, data } from '@/api/client';
import { keys } from '@/api/queries';
import { Dialog, ErrorNote, toast } from '@/ui';

/** Deletes an archived schedule after its name was typed. */
export function DeleteSchedule({ name, onClose }: { name: string; onClose: () => void }) {
  const { t } = useTranslation(['archive', 'common']);
  const client = useQueryClient();
  const [typed, setTyped] = useState('');
  const form = useId();
  const remove = useMutation({
    mutationFn: () => data(api.DELETE('/api/v1/schedules/{name}', { params: { path: { name } } })),
    onSuccess: () => {
      toast(t('archive:delete.begun', { name }));
      onClose();
    },
    onSettled: () => {
      void client.invalidateQueries({ queryKey: keys.archived });
      void client.invalidateQueries({ queryKey: keys.schedule(name) });
    },
  });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (typed === name) remove.mutate();
  };
  return (
    <Dialog
      opened
      onClose={onClose}
      title={t('archive:delete.title', { name })}
      focusInside
      footer={
        <>
          <Button onClick={onClose}>{t('common:cancel')}</Button>
          <Button variant="filled" type="submit" form={form} loading={remove.isPending} disabled={typed !== name}>
            {t('archive:delete.go')}
          </Button>
        </>
      }
    >
      <p>{t('archive:delete.text')}</p>
      <form id={form} onSubmit={submit}>
        <TextInput
          data-autofocus
          label={t('archive:delete.type', { name })}
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
          }}
        />
      </form>
      {remove.error && <ErrorNote error={remove.error} />}
    </Dialog>
  );
}
