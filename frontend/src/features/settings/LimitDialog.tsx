import { Button, Select, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, data } from '@/api/client';
import { type Limit, limitKeys, type LimitKind } from '@/api/limits';
import { Dialog, ErrorNote, toast } from '@/ui';
import styles from './Settings.module.css';

const KINDS = ['server', 'group', 'tag', 'schedule'] as const satisfies LimitKind[];

interface Props {
  /** What is changed; without it, a new one is made. */
  limit?: Limit;
  isPool: boolean;
  onClose: () => void;
}

/** What is typed. */
interface Form {
  kind: LimitKind;
  name: string;
  most: string;
  reason: string;
}

/** Sets a limit or a pool: what it is for, how many, and why. */
export function LimitDialog({ limit, isPool, onClose }: Props) {
  const { t } = useTranslation(['settings', 'common']);
  const id = useId();
  const client = useQueryClient();
  const [form, setForm] = useState(() => formOf(limit, isPool));
  const { kind, most } = form;
  const name = form.name.trim();
  const section = isPool ? 'pools' : 'limits';
  const label = t(`settings:name.${kind}`, { name });
  const save = useMutation({
    mutationFn: () => {
      const reason = form.reason.trim() || undefined;
      const body = { kind, name: kind === 'server' ? undefined : name, most: Number(most), reason };
      return data(api.PUT('/api/v1/limits', { body }));
    },
    onSuccess: () => {
      toast(t('settings:done', { name: label }));
      onClose();
    },
    onSettled: () => client.invalidateQueries({ queryKey: limitKeys.all }),
  });
  const ready = most !== '' && (kind === 'server' || name !== '');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (ready && !save.isPending) save.mutate();
  };
  return (
    <Dialog
      opened
      onClose={onClose}
      focusInside
      title={limit ? label : t(`settings:${section}.new`)}
      summary={t(`settings:${section}.summary`)}
      footer={
        <>
          <Button onClick={onClose}>{t('common:cancel')}</Button>
          <Button type="submit" form={id} variant="filled" loading={save.isPending} disabled={!ready}>
            {t('settings:save')}
          </Button>
        </>
      }
    >
      <form id={id} className={styles.form} onSubmit={submit} noValidate autoComplete="off">
        {save.error && <ErrorNote error={save.error} />}
        {!limit && (
          <Target
            form={form}
            isPool={isPool}
            onChange={(part) => {
              setForm({ ...form, ...part });
            }}
          />
        )}
        <TextInput
          label={t(`settings:${section}.most`)}
          description={t(`settings:${section}.mostDetail`)}
          inputMode="numeric"
          autoComplete="off"
          data-autofocus={limit ? true : undefined}
          value={most}
          onChange={(event) => {
            setForm({ ...form, most: event.currentTarget.value.replace(/\D/g, '').slice(0, 7) });
          }}
        />
        <TextInput
          label={t('settings:reason')}
          description={t('settings:reasonDetail')}
          maxLength={500}
          value={form.reason}
          onChange={(event) => {
            setForm({ ...form, reason: event.currentTarget.value });
          }}
        />
      </form>
    </Dialog>
  );
}

/** The form for a limit, or an empty one. A change needs a reason of its own. */
function formOf(limit: Limit | undefined, isPool: boolean): Form {
  if (!limit) return { kind: isPool ? 'pool' : 'server', name: '', most: '', reason: '' };
  return { kind: limit.kind, name: limit.name, most: String(limit.most), reason: '' };
}

interface TargetProps {
  form: Form;
  isPool: boolean;
  onChange: (part: Partial<Form>) => void;
}

/** What a new limit is for. */
function Target({ form: { kind, name }, isPool, onChange }: TargetProps) {
  const { t } = useTranslation('settings');
  return (
    <>
      {!isPool && (
        <Select
          label={t('limits.of')}
          allowDeselect={false}
          data={KINDS.map((value) => ({ value, label: t(`kind.${value}`) }))}
          value={kind}
          onChange={(value) => {
            onChange({ kind: value ?? kind });
          }}
        />
      )}
      {kind !== 'server' && (
        <TextInput
          label={t(`named.${kind}`)}
          autoComplete="off"
          spellCheck={false}
          data-autofocus={isPool ? true : undefined}
          value={name}
          onChange={(event) => {
            onChange({ name: event.currentTarget.value });
          }}
        />
      )}
    </>
  );
}
