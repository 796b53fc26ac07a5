import { Button, Checkbox, PasswordInput, SegmentedControl, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, data } from '@/api/client';
import { Command, Dialog, ErrorNote, toast } from '@/ui';
import { keys } from '@/api/queries';
import { ADDRESS, FIELD_ORDER, GROUP, startCommands } from './executors';
import styles from './Executors.module.css';

/** Creates a token for a group, and shows it once with the command that starts an executor. */
function AddByToken({ admin, choice, onClose }: { admin: boolean; choice: ReactNode; onClose: () => void }) {
  const { t } = useTranslation(['executors', 'common']);
  const [group, setGroup] = useState('default');
  const name = group.trim();
  const make = useMutation({
    mutationFn: () =>
      data(api.POST('/api/v1/tokens', { body: { group: name, name: t('executors:add.tokenName', { group: name }) } })),
  });
  const nameError = name !== '' && !GROUP.test(name) ? t('executors:add.wrong') : undefined;
  const token = make.data?.token;
  const isRemote = location.protocol === 'https:';
  return (
    <Dialog
      opened
      onClose={onClose}
      title={t('executors:add.title')}
      summary={t('executors:add.summary')}
      footer={
        token ? (
          <Button onClick={onClose}>{t('executors:add.done')}</Button>
        ) : (
          <>
            <Button onClick={onClose}>{t('common:cancel')}</Button>
            <Button
              type="submit"
              form="add-executor"
              variant="filled"
              loading={make.isPending}
              disabled={!admin || !GROUP.test(name)}
            >
              {t('executors:add.make')}
            </Button>
          </>
        )
      }
    >
      {!token && choice}
      {token ? (
        <div className={styles.add}>
          <p>
            <b>{t('executors:add.once')}</b>
          </p>
          <Command text={token} />
          <p>{t('executors:add.start')}</p>
          <Command text={startCommands(location.origin, name, token)} />
          <p className={styles.quiet}>{t(isRemote ? 'executors:add.far' : 'executors:add.near')}</p>
        </div>
      ) : (
        <form
          id="add-executor"
          className={styles.add}
          onSubmit={(event) => {
            event.preventDefault();
            if (GROUP.test(name)) make.mutate();
          }}
        >
          <TextInput
            data-autofocus
            inputWrapperOrder={FIELD_ORDER}
            label={t('executors:add.group')}
            description={t('executors:add.groupHint')}
            error={nameError}
            disabled={!admin}
            value={group}
            onChange={(event) => {
              setGroup(event.currentTarget.value);
            }}
            spellCheck={false}
            autoCapitalize="none"
            maxLength={63}
          />
          {!admin && <p>{t('executors:add.adminOnly')}</p>}
          {make.isError && <ErrorNote scrollIntoView error={make.error} />}
        </form>
      )}
    </Dialog>
  );
}

/** The dialog to add an executor: one that registers itself with a token, or one at an address. */
export function AddExecutor({ admin, onClose }: { admin: boolean; onClose: () => void }) {
  const { t } = useTranslation('executors');
  const [method, setMethod] = useState<'self' | 'byAddress'>('self');
  const choice = (
    <div className={styles.method} role="group" aria-label={t('add.how')}>
      <SegmentedControl
        fullWidth
        value={method}
        onChange={(value) => {
          setMethod(value === 'self' ? 'self' : 'byAddress');
        }}
        data={[
          { value: 'self', label: t('add.self') },
          { value: 'byAddress', label: t('add.byAddress') },
        ]}
      />
    </div>
  );
  return method === 'self' ? (
    <AddByToken admin={admin} choice={choice} onClose={onClose} />
  ) : (
    <AddByAddress admin={admin} choice={choice} onClose={onClose} />
  );
}

interface Form {
  address: string;
  group: string;
  name: string;
  token: string;
  tls: boolean;
  /** Digits only. Empty means: the number that the executor reports. */
  slots: string;
}

const isInvalid = (text: string, rule: RegExp) => text.trim() !== '' && !rule.test(text.trim());

const bodyOf = ({ address, group, name, token, tls, slots }: Form) => ({
  address: address.trim(),
  tls,
  group: group.trim() || undefined,
  name: name.trim() || undefined,
  token: token || undefined,
  slots: slots ? Number(slots) : undefined,
});

/** Adds an executor that does not register itself: the server connects to its address, and asks for its handlers. */
function AddByAddress({ admin, choice, onClose }: { admin: boolean; choice: ReactNode; onClose: () => void }) {
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
  const ready = admin && ADDRESS.test(form.address.trim()) && !isInvalid(form.group, GROUP);
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
        {add.isError && <ErrorNote scrollIntoView error={add.error} />}
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
  const order = { inputWrapperOrder: FIELD_ORDER };
  const text = { ...order, disabled: !admin, spellCheck: false, autoCapitalize: 'none' };
  return (
    <>
      <TextInput
        {...text}
        label={t('add.address')}
        description={t('add.addressHint')}
        error={isInvalid(form.address, ADDRESS) ? t('add.addressWrong') : undefined}
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
          error={isInvalid(form.group, GROUP) ? t('add.wrong') : undefined}
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
