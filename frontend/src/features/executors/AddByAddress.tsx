import { Button, Checkbox, PasswordInput, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, data } from '@/api/client';
import { keys } from '@/api/queries';
import { ErrorNote, Dialog, toast } from '@/ui';
import { ADDRESS, GROUP, ORDER } from './executors';
import styles from './Executors.module.css';

interface Form {
  address: string;
  group: string;
  name: string;
  token: string;
  tls: boolean;
  /** Digits only; empty for the executor's own number. */
  slots: string;
}

const isWrong = (text: string, rule: RegExp) => text.trim() !== '' && !rule.test(text.trim());

const bodyOf = ({ address, group, name, token, tls, slots }: Form) => ({
  address: address.trim(),
  tls,
  group: group.trim() || undefined,
  name: name.trim() || undefined,
  token: token || undefined,
  slots: slots ? Number(slots) : undefined,
});

/** Adds an executor that only listens: the server connects to its address, and asks for its handlers. */
export function AddByAddress({ admin, choice, onClose }: { admin: boolean; choice: ReactNode; onClose: () => void }) {
  const { t } = useTranslation(['executors', 'common']);
  const client = useQueryClient();
  const [form, setForm] = useState<Form>({ address: '', group: '', name: '', token: '', tls: false, slots: '' });
  const change = (part: Partial<Form>) => {
    setForm((before) => ({ ...before, ...part }));
  };
  const add = useMutation({
    mutationFn: () =>
      data(
        api.POST('/api/v1/executors', {
          body: bodyOf(form),
        }),
      ),
    onSuccess: (executor) => {
      const handlers = executor.handlers.map((h) => h.name).join(', ');
      toast(t(handlers ? 'executors:add.added' : 'executors:add.addedNone', { name: executor.name, handlers }));
      onClose();
    },
    onSettled: () => client.invalidateQueries({ queryKey: keys.executors }),
  });
  const ready = admin && ADDRESS.test(form.address.trim()) && !isWrong(form.group, GROUP);
  return (
    <Dialog
      opened
      onClose={onClose}
      title={t('executors:add.title')}
      summary={t('executors:add.addressSummary')}
      footer={
        <>
          <Button onClick={onClose}>{t('common:cancel')}</Button>
          <Button type="submit" form="add-address" variant="filled" loading={add.isPending} disabled={!ready}>
            {t('executors:add.connect')}
          </Button>
        </>
      }
    >
      {choice}
      <form
        id="add-address"
        className={styles.add}
        onSubmit={(event) => {
          event.preventDefault();
          if (ready) add.mutate();
        }}
      >
        <Fields form={form} admin={admin} onChange={change} />
        <p className={styles.quiet}>{t(admin ? 'executors:add.learn' : 'executors:add.adminOnlyAddress')}</p>
        {add.isError && <ErrorNote seen error={add.error} />}
      </form>
    </Dialog>
  );
}

interface FieldsProps {
  form: Form;
  admin: boolean;
  onChange: (part: Partial<Form>) => void;
}

function Fields({ form, admin, onChange }: FieldsProps) {
  const { t } = useTranslation('executors');
  const order = { inputWrapperOrder: ORDER };
  const text = { ...order, disabled: !admin, spellCheck: false, autoCapitalize: 'none' };
  return (
    <>
      <TextInput
        {...text}
        label={t('add.address')}
        description={t('add.addressHint')}
        error={isWrong(form.address, ADDRESS) ? t('add.addressWrong') : undefined}
        maxLength={300}
        required
        value={form.address}
        onChange={(event) => {
          onChange({ address: event.currentTarget.value });
        }}
      />
      <div className={styles.pair}>
        <TextInput
          {...text}
          label={t('add.name')}
          description={t('add.nameHint')}
          maxLength={63}
          value={form.name}
          onChange={(event) => {
            onChange({ name: event.currentTarget.value });
          }}
        />
        <TextInput
          {...text}
          label={t('add.group')}
          description={t('add.groupLeft')}
          error={isWrong(form.group, GROUP) ? t('add.wrong') : undefined}
          maxLength={63}
          value={form.group}
          onChange={(event) => {
            onChange({ group: event.currentTarget.value });
          }}
        />
      </div>
      <div className={styles.pair}>
        <PasswordInput
          {...order}
          disabled={!admin}
          autoComplete="off"
          label={t('add.token')}
          description={t('add.tokenHint')}
          maxLength={128}
          value={form.token}
          onChange={(event) => {
            onChange({ token: event.currentTarget.value });
          }}
        />
        <TextInput
          {...text}
          inputMode="numeric"
          label={t('add.slots')}
          description={t('add.slotsHint')}
          maxLength={5}
          value={form.slots}
          onChange={(event) => {
            onChange({ slots: event.currentTarget.value.replace(/\D/g, '') });
          }}
        />
      </div>
      <Checkbox
        disabled={!admin}
        label={t('add.tls')}
        checked={form.tls}
        onChange={(event) => {
          onChange({ tls: event.currentTarget.checked });
        }}
      />
    </>
  );
}
