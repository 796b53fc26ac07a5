import { Button, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, type Schemas } from '@/api/client';
import { keys } from '@/api/queries';
import { nameFault, nameFrom } from '@/features/create';
import { Dialog, ErrorNote, focusFirstFault } from '@/ui';
import { saveCalendar, type SourceFile } from './calls';
import { type CalendarDoc, DEFAULT_WEEKEND, importDays, yearsOf } from './days';
import { FileSource } from './FileSource';
import { WeekendField } from './WeekendField';
import styles from './Dialogs.module.css';

interface Props {
  /** The names of all calendars. */
  names: readonly string[];
  /** The days come from a file. */
  fromFile: boolean;
  onClose: () => void;
}

/** Asks for the name of a new calendar and for its days, saves it and opens it. */
export function NewCalendar({ names, fromFile, onClose }: Props) {
  const { t } = useTranslation(['calendars', 'editor', 'common']);
  const form = useId();
  const [values, setValues] = useState({ name: '', title: '', weekend: [...DEFAULT_WEEKEND] });
  const [file, setFile] = useState<SourceFile>({ text: '' });
  const [days, setDays] = useState<Schemas['CalendarFileDays']>();
  const [submitted, setSubmitted] = useState(false);
  const create = useCreate(onClose);
  const { name, title, weekend } = values;
  const fault = nameFault(name);
  const taken = names.includes(name) || (create.takenName === name && name !== '');
  const faultText = taken
    ? t('calendars:create.taken', { name })
    : fault && (submitted || fault !== 'empty') && t(`editor:create.fault.${fault}`);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setSubmitted(true);
    if (create.isPending) return;
    if (fault || taken || (fromFile && !days)) {
      focusFirstFault(event.currentTarget);
      return;
    }
    const doc: CalendarDoc = {
      apiVersion: 'hivego/v1',
      kind: 'Calendar',
      name,
      ...(title.trim() ? { title: title.trim() } : {}),
      ...(weekend.join() === DEFAULT_WEEKEND.join() ? {} : { weekend }),
    };
    create.mutate(days ? importDays(doc, days) : doc);
  };
  return (
    <Dialog
      opened
      onClose={onClose}
      focusInside
      title={t(fromFile ? 'calendars:create.fromFile' : 'calendars:create.title')}
      summary={t('calendars:create.summary')}
      footer={
        <>
          <Button onClick={onClose}>{t('common:cancel')}</Button>
          <Button type="submit" form={form} variant="filled" loading={create.isPending}>
            {t('calendars:create.go')}
          </Button>
        </>
      }
    >
      <form id={form} className={styles.form} onSubmit={submit} noValidate>
        {create.error && !create.takenName && <ErrorNote error={create.error} />}
        {fromFile && (
          <FileSource
            file={file}
            missing={submitted && file.text.trim() === ''}
            onDays={setDays}
            onFile={(next) => {
              setFile(next);
              if (next.name && name === '')
                setValues((before) => ({ ...before, name: nameFrom(next.name?.replace(/\.\w+$/, '') ?? '') }));
            }}
          />
        )}
        <div className={styles.pair}>
          <TextInput
            data-autofocus
            label={t('calendars:field.name')}
            description={t('editor:create.nameHint')}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            value={name}
            spellCheck={false}
            autoComplete="off"
            autoCapitalize="off"
            error={faultText}
            onChange={(event) => {
              const { value } = event.currentTarget;
              setValues((before) => ({ ...before, name: value }));
            }}
          />
          <TextInput
            label={t('calendars:field.title')}
            description={t('calendars:create.titleHint')}
            inputWrapperOrder={['label', 'input', 'description']}
            value={title}
            maxLength={200}
            onChange={(event) => {
              const { value } = event.currentTarget;
              setValues((before) => ({ ...before, title: value }));
            }}
          />
        </div>
        <WeekendField
          value={weekend}
          onChange={(next) => {
            setValues((before) => ({ ...before, weekend: next }));
          }}
        />
      </form>
    </Dialog>
  );
}

/** Saves a new calendar and opens the first year with entries. `takenName` is the name that exists already. */
function useCreate(onClose: () => void) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const mutation = useMutation({
    mutationFn: (doc: CalendarDoc) => saveCalendar(doc, 0),
    onSuccess: async (_, doc) => {
      void client.invalidateQueries({ queryKey: keys.calendars });
      onClose();
      const [first, last = 0] = yearsOf(doc) ?? [];
      const now = new Date().getFullYear();
      const year = first === undefined || (now >= first && now <= last) ? undefined : first;
      await navigate({
        to: '/calendars/$name',
        params: { name: doc.name },
        search: year === undefined ? {} : { year },
      });
    },
  });
  const { error, variables } = mutation;
  const taken = error instanceof ApiError && error.problem.reason === 'calendar_exists';
  return { ...mutation, takenName: taken ? variables?.name : undefined };
}
