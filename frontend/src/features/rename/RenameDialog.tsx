import { Button, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type SyntheticEvent, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { nameFault } from '@/features/create';
import { Dialog, ErrorNote } from '@/ui';
import { useRenaming } from './useRenaming';
import styles from './Rename.module.css';

const MAX_NOTE = 200;

/** Asks for the new name of a schedule. If others wait for it, the user is asked whether they are saved too. */
export function RenameDialog({ name, onClose }: { name: string; onClose: () => void }) {
  const { t } = useTranslation(['rename', 'editor', 'common']);
  const form = useId();
  const [to, setTo] = useState(name);
  const [note, setNote] = useState('');
  const [tried, setTried] = useState(false);
  const { rename, pending, waiting, error, reset } = useRenaming(name, onClose);
  const fault = nameFault(to);
  const text = fault ? t(`editor:create.fault.${fault}`) : to === name ? t('rename:same') : undefined;
  const asked = waiting.length > 0;
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    setTried(true);
    if (text === undefined) rename({ to, note, others: waiting });
  };
  return (
    <Dialog
      opened
      onClose={onClose}
      focusInside
      title={t('rename:title', { name })}
      footer={
        <>
          <Button onClick={onClose}>{t('common:cancel')}</Button>
          <Button variant="filled" type="submit" form={form} loading={pending}>
            {t(asked ? 'rename:goAll' : 'rename:go')}
          </Button>
        </>
      }
    >
      <form id={form} className={styles.form} onSubmit={submit} noValidate>
        <TextInput
          data-autofocus
          label={t('rename:to')}
          value={to}
          spellCheck={false}
          autoComplete="off"
          autoCapitalize="off"
          onChange={(event) => {
            setTo(event.currentTarget.value);
            reset();
          }}
          error={tried ? text : undefined}
        />
        <TextInput
          label={t('rename:note')}
          value={note}
          maxLength={MAX_NOTE}
          onChange={(event) => {
            setNote(event.currentTarget.value);
          }}
        />
        <p className={styles.quiet}>{t('rename:keeps')}</p>
        <div role="status" aria-live="polite">
          {asked && (
            <>
              <p>{t('rename:waiting', { count: waiting.length, to })}</p>
              <ul className={styles.names}>
                {waiting.map((schedule) => (
                  <li key={schedule}>
                    <Link to="/schedules/$name" params={{ name: schedule }} search={{ view: 'settings' }}>
                      {schedule}
                    </Link>
                  </li>
                ))}
              </ul>
            </>
          )}
        </div>
        {error && !asked && <ErrorNote error={error} />}
      </form>
    </Dialog>
  );
}
