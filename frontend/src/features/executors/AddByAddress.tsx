import { Button, Checkbox, PasswordInput, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, data } from '@/api/client';
import { keys } from '@/api/queries';
import { ErrorNote, Dialog, toast } from '@/ui';
import { ADDRESS, GROUP, ORDER } from './executors';
import styles from './Executors.module.css';

/** How to add an executor that only listens: the server connects to it and asks what it can do. */
export function AddByAddress({ admin, choice, onClose }: { admin: boolean; choice: ReactNode; onClose: () => void }) {
  const { t } = useTranslation(['executors', 'common']);
  const client = useQueryClient();
  const [address, setAddress] = useState('');
  const [group, setGroup] = useState('');
  const [name, setName] = useState('');
  const [token, setToken] = useState('');
  const [tls, setTls] = useState(false);
  const [slots, setSlots] = useState('');
  const add = useMutation({
    mutationFn: () =>
      data(
        api.POST('/api/v1/executors', {
          body: {
            address: address.trim(),
            tls,
            group: group.trim() || undefined,
            name: name.trim() || undefined,
            token: token || undefined,
            slots: slots ? Number(slots) : undefined,
          },
        }),
      ),
    onSuccess: (executor) => {
      const handlers = executor.handlers.map((h) => h.name).join(', ');
      toast(t(handlers ? 'executors:add.added' : 'executors:add.addedNone', { name: executor.name, handlers }));
      onClose();
    },
    onSettled: () => client.invalidateQueries({ queryKey: keys.executors }),
  });
  const wrongAddress =
    address.trim() !== '' && !ADDRESS.test(address.trim()) ? t('executors:add.addressWrong') : undefined;
  const wrongGroup = group.trim() !== '' && !GROUP.test(group.trim()) ? t('executors:add.wrong') : undefined;
  const ready = admin && ADDRESS.test(address.trim()) && !wrongGroup;
  const order = { inputWrapperOrder: ORDER };
  const text = { ...order, disabled: !admin, spellCheck: false, autoCapitalize: 'none' };
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
        <TextInput
          {...text}
          label={t('executors:add.address')}
          description={t('executors:add.addressHint')}
          error={wrongAddress}
          maxLength={300}
          required
          value={address}
          onChange={(event) => {
            setAddress(event.currentTarget.value);
          }}
        />
        <div className={styles.pair}>
          <TextInput
            {...text}
            label={t('executors:add.name')}
            description={t('executors:add.nameHint')}
            maxLength={63}
            value={name}
            onChange={(event) => {
              setName(event.currentTarget.value);
            }}
          />
          <TextInput
            {...text}
            label={t('executors:add.group')}
            description={t('executors:add.groupLeft')}
            error={wrongGroup}
            maxLength={63}
            value={group}
            onChange={(event) => {
              setGroup(event.currentTarget.value);
            }}
          />
        </div>
        <div className={styles.pair}>
          <PasswordInput
            {...order}
            disabled={!admin}
            autoComplete="off"
            label={t('executors:add.token')}
            description={t('executors:add.tokenHint')}
            maxLength={128}
            value={token}
            onChange={(event) => {
              setToken(event.currentTarget.value);
            }}
          />
          <TextInput
            {...text}
            inputMode="numeric"
            label={t('executors:add.slots')}
            description={t('executors:add.slotsHint')}
            maxLength={5}
            value={slots}
            onChange={(event) => {
              setSlots(event.currentTarget.value.replace(/\D/g, ''));
            }}
          />
        </div>
        <Checkbox
          disabled={!admin}
          label={t('executors:add.tls')}
          checked={tls}
          onChange={(event) => {
            setTls(event.currentTarget.checked);
          }}
        />
        <p className={styles.quiet}>{t(admin ? 'executors:add.learn' : 'executors:add.adminOnlyAddress')}</p>
        {add.isError && <ErrorNote seen error={add.error} />}
      </form>
    </Dialog>
  );
}
