import { Button, SegmentedControl, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, data } from '@/api/client';
import { Command, Dialog, ErrorNote } from '@/ui';
import { AddByAddress } from './AddByAddress';
import { GROUP, ORDER, startCommands } from './executors';
import styles from './Executors.module.css';

/** How to add an executor: a token for its group, shown once, and the command that starts it. */
function AddExecutor({ admin, choice, onClose }: { admin: boolean; choice: ReactNode; onClose: () => void }) {
  const { t } = useTranslation(['executors', 'common']);
  const [group, setGroup] = useState('default');
  const name = group.trim();
  const make = useMutation({
    mutationFn: () =>
      data(api.POST('/api/v1/tokens', { body: { group: name, name: t('executors:add.tokenName', { group: name }) } })),
  });
  const wrong = name !== '' && !GROUP.test(name) ? t('executors:add.wrong') : undefined;
  const token = make.data?.token;
  const far = location.protocol === 'https:';
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
          <p className={styles.quiet}>{t(far ? 'executors:add.far' : 'executors:add.near')}</p>
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
            inputWrapperOrder={ORDER}
            label={t('executors:add.group')}
            description={t('executors:add.groupHint')}
            error={wrong}
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
          {make.isError && <ErrorNote seen error={make.error} />}
        </form>
      )}
    </Dialog>
  );
}

/** Adds an executor: one that registers itself, or one at an address. */
export function Adding({ admin, onClose }: { admin: boolean; onClose: () => void }) {
  const { t } = useTranslation('executors');
  const [how, setHow] = useState<'self' | 'byAddress'>('self');
  const choice = (
    <div className={styles.how} role="group" aria-label={t('add.how')}>
      <SegmentedControl
        fullWidth
        value={how}
        onChange={(value) => {
          setHow(value === 'self' ? 'self' : 'byAddress');
        }}
        data={[
          { value: 'self', label: t('add.self') },
          { value: 'byAddress', label: t('add.byAddress') },
        ]}
      />
    </div>
  );
  return how === 'self' ? (
    <AddExecutor admin={admin} choice={choice} onClose={onClose} />
  ) : (
    <AddByAddress admin={admin} choice={choice} onClose={onClose} />
  );
}
