import { Button, PasswordInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '@/api/client';
import { keys } from '@/api/queries';
import { Dialog, ErrorNote, exact, Skeleton, toast } from '@/ui';
import { channelsQuery, type Secret } from './calls';
import styles from './Alerts.module.css';

/** Sets the secrets of a channel. They are never shown: an empty field leaves its secret as it is. */
export function SecretsDialog({ name, onClose }: { name: string; onClose: () => void }) {
  const { t } = useTranslation(['alerts', 'common']);
  const id = useId();
  const client = useQueryClient();
  const query = useQuery(channelsQuery);
  const secrets = query.data?.find((channel) => channel.name === name)?.secrets;
  const [typed, setTyped] = useState<Record<string, string>>({});
  const given = Object.fromEntries(Object.entries(typed).filter(([, value]) => value !== ''));
  const save = useMutation({
    mutationFn: () =>
      api.PUT('/api/v1/channels/{name}/secrets', { params: { path: { name } }, body: { secrets: given } }),
    onSuccess: () => {
      toast(t('alerts:secrets.done', { name }));
      onClose();
    },
    onSettled: () => client.invalidateQueries({ queryKey: keys.alerts }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (Object.keys(given).length > 0 && !save.isPending) save.mutate();
  };
  const none = secrets?.length === 0;
  return (
    <Dialog
      opened
      onClose={onClose}
      title={t('alerts:secrets.title', { name })}
      summary={t(none ? 'alerts:secrets.none' : 'alerts:secrets.summary')}
      footer={
        none ? (
          <Button onClick={onClose}>{t('common:close')}</Button>
        ) : (
          <>
            <Button onClick={onClose}>{t('common:cancel')}</Button>
            <Button
              type="submit"
              form={id}
              variant="filled"
              loading={save.isPending}
              disabled={Object.keys(given).length === 0}
            >
              {t('alerts:document.save')}
            </Button>
          </>
        )
      }
    >
      <form id={id} className={styles.form} onSubmit={submit} noValidate>
        {save.error && <ErrorNote error={save.error} />}
        {query.isPending && <Skeleton rows={1} />}
        {secrets?.map((secret) => (
          <SecretField
            key={secret.name}
            secret={secret}
            value={typed[secret.name] ?? ''}
            onChange={(value) => {
              setTyped((before) => ({ ...before, [secret.name]: value }));
            }}
          />
        ))}
      </form>
    </Dialog>
  );
}

function SecretField({
  secret: { name, required, set, setAt, setBy },
  value,
  onChange,
}: {
  secret: Secret;
  value: string;
  onChange: (value: string) => void;
}) {
  const { t } = useTranslation('alerts');
  return (
    <PasswordInput
      label={name}
      autoComplete="off"
      value={value}
      description={
        set && setAt
          ? t('secrets.set', { at: exact(setAt), by: setBy ?? '' })
          : t(required ? 'secrets.required' : 'secrets.optional')
      }
      onChange={(event) => {
        onChange(event.currentTarget.value);
      }}
    />
  );
}
