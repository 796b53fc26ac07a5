import { Button, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, data } from '@/api/client';
import { type Secret, secretKeys } from '@/api/secrets';
import { Dialog, ErrorNote, toast } from '@/ui';
import { readGroups, writeGroups } from './groups';
import styles from './Secrets.module.css';

/** Shorter values are not masked in logs (bytes). */
const SHORTEST_MASKED = 6;

/** Makes a secret, or gives one another value or other groups. The value is never shown, not even while it is typed. */
export function SecretDialog({ secret, onClose }: { secret?: Secret; onClose: () => void }) {
  const { t } = useTranslation(['secrets', 'common']);
  const id = useId();
  const client = useQueryClient();
  const [name, setName] = useState(secret?.name ?? '');
  const [value, setValue] = useState('');
  const [groups, setGroups] = useState(writeGroups(secret?.groups ?? ['default']));
  const save = useMutation({
    mutationFn: () =>
      data(
        api.PUT('/api/v1/secrets/{secret}', {
          params: { path: { secret: name.trim() } },
          body: { value: value === '' ? undefined : value, groups: readGroups(groups) },
        }),
      ),
    onSuccess: () => {
      toast(t('secrets:secret.done', { name: name.trim() }));
      onClose();
    },
    onSettled: () => client.invalidateQueries({ queryKey: secretKeys.secrets }),
  });
  const ready = name.trim() !== '' && (secret !== undefined || value !== '');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (ready && !save.isPending) save.mutate();
  };
  const short = value !== '' && new TextEncoder().encode(value).length < SHORTEST_MASKED;
  return (
    <Dialog
      opened
      onClose={onClose}
      focusInside
      title={secret ? t('secrets:secret.set', { name: secret.name }) : t('secrets:secret.new')}
      summary={t('secrets:secret.summary')}
      footer={
        <>
          <Button onClick={onClose}>{t('common:cancel')}</Button>
          <Button type="submit" form={id} variant="filled" loading={save.isPending} disabled={!ready}>
            {t('secrets:save')}
          </Button>
        </>
      }
    >
      <form id={id} className={styles.form} onSubmit={submit} noValidate autoComplete="off">
        {save.error && <ErrorNote error={save.error} />}
        {!secret && (
          <TextInput
            label={t('secrets:head.name')}
            description={t('secrets:secret.nameDetail')}
            data-autofocus
            autoComplete="off"
            spellCheck={false}
            value={name}
            onChange={(event) => {
              setName(event.currentTarget.value);
            }}
          />
        )}
        <Textarea
          label={t('secrets:secret.value')}
          description={t(secret ? 'secrets:secret.keepDetail' : 'secrets:secret.valueDetail')}
          classNames={{ input: styles.hidden }}
          data-autofocus={secret ? true : undefined}
          autoComplete="off"
          autoCapitalize="off"
          autoCorrect="off"
          spellCheck={false}
          autosize
          minRows={1}
          maxRows={6}
          value={value}
          onChange={(event) => {
            setValue(event.currentTarget.value);
          }}
        />
        {short && <p className={styles.warning}>{t('secrets:secret.short', { least: SHORTEST_MASKED })}</p>}
        <TextInput
          label={t('secrets:head.groups')}
          description={t('secrets:secret.groupsDetail')}
          autoComplete="off"
          value={groups}
          onChange={(event) => {
            setGroups(event.currentTarget.value);
          }}
        />
      </form>
    </Dialog>
  );
}
