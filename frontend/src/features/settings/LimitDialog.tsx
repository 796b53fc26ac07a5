import { Button, Select, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, data } from '@/api/client';
import { type Limit, limitKeys, type LimitKind, limitsQuery } from '@/api/limits';
import { Dialog, ErrorNote, toast } from '@/ui';
import styles from './Settings.module.css';

const KINDS = ['server', 'group', 'tag', 'schedule'] as const satisfies LimitKind[];

interface Props {
  /** What is changed; without it, a new one is made. */
  limit?: Limit;
  isPool: boolean;
  onClose: () => void;
}

/** What is typed. A new limit has no kind before a person chooses one: each kind slows down something else. */
interface Form {
  kind?: LimitKind;
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
  const faults = useFaults(form, limit);
  const save = useMutation({
    mutationFn: () => {
      const reason = form.reason.trim() || undefined;
      if (!kind) throw new Error('a limit needs a kind');
      const body = { kind, name: kind === 'server' ? undefined : name, most: Number(most), reason };
      return data(api.PUT('/api/v1/limits', { body }));
    },
    onSuccess: () => {
      if (kind) toast(t(`settings:done.${kind}`, { name }));
      onClose();
    },
    onSettled: () => client.invalidateQueries({ queryKey: limitKeys.all }),
  });
  const hasTarget = kind !== undefined && (kind === 'server' || name !== '');
  const ready = most !== '' && hasTarget && !faults.target && !faults.most;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (ready && !save.isPending) save.mutate();
  };
  return (
    <Dialog
      opened
      onClose={onClose}
      focusInside
      title={limit ? t(`settings:name.${limit.kind}`, { name }) : t(`settings:${section}.new`)}
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
            fault={faults.target}
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
          error={faults.most}
          onChange={(event) => {
            setForm({ ...form, most: event.currentTarget.value.trim() });
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

/** The form for a limit, or an empty one. */
function formOf(limit: Limit | undefined, isPool: boolean): Form {
  if (!limit) return { kind: isPool ? 'pool' : undefined, name: '', most: '', reason: '' };
  return { kind: limit.kind, name: limit.name, most: String(limit.most), reason: limit.reason ?? '' };
}

/** What is wrong: a new limit must not replace one that exists, and the number must be whole. */
function useFaults({ kind, name, most }: Form, limit?: Limit): { target?: string; most?: string } {
  const { t } = useTranslation('settings');
  const { data: limits } = useQuery(limitsQuery);
  const exists = !limit && limits?.some((one) => one.kind === kind && (kind === 'server' || one.name === name.trim()));
  return {
    target: exists ? t('exists') : undefined,
    most: most === '' || /^\d{1,7}$/.test(most) ? undefined : t('mostFault'),
  };
}

interface TargetProps {
  form: Form;
  isPool: boolean;
  fault?: string;
  onChange: (part: Partial<Form>) => void;
}

/** What a new limit is for. */
function Target({ form: { kind, name }, isPool, fault, onChange }: TargetProps) {
  const { t } = useTranslation('settings');
  return (
    <>
      {!isPool && (
        <Select
          label={t('limits.of')}
          placeholder={t('choose')}
          allowDeselect={false}
          data={KINDS.map((value) => ({ value, label: t(`kind.${value}`) }))}
          value={kind ?? null}
          error={kind === 'server' && fault}
          onChange={(value) => {
            onChange({ kind: value ?? kind });
          }}
        />
      )}
      {kind && kind !== 'server' && (
        <TextInput
          label={t(`named.${kind}`)}
          autoComplete="off"
          spellCheck={false}
          data-autofocus={isPool ? true : undefined}
          value={name}
          error={fault}
          onChange={(event) => {
            onChange({ name: event.currentTarget.value });
          }}
        />
      )}
    </>
  );
}
