import { Button, Checkbox, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, type Schemas } from '@/api/client';
import type { Definition } from '@/api/definition';
import { scheduleQuery } from '@/api/queries';
import { changedParams, fieldsOf, ParamFields, paramFaults, type Typed } from '@/features/run';
import { Dialog, ErrorNote, serverNow, wallTimeAt } from '@/ui';
import { type Form, initialForm, requestOf } from './form';
import { Preview } from './Preview';
import { Choices, RangeFields } from './Settings';
import { useCreate, usePreview } from './useCreate';
import styles from './Backfill.module.css';

interface Props {
  schedule: string;
  opened: boolean;
  onClose: () => void;
}

/** Asks for the range and the settings of a backfill, shows what it would do, and makes it. */
export function BackfillDialog({ schedule: name, opened, onClose }: Props) {
  const { t } = useTranslation('backfill');
  const formId = useId();
  const first = useRef<HTMLInputElement>(null);
  const { data: schedule, error: loadError, refetch } = useQuery({ ...scheduleQuery(name), refetchOnMount: 'always' });
  const ready = schedule !== undefined;
  const zone = schedule?.timezone || 'UTC';
  const { form, change, fields, typed, setTyped, invalid, request } = useForm(schedule, zone);
  const preview = usePreview(name, ready && opened ? request : undefined);
  const create = useCreate(name, onClose);
  const error = create.error ?? preview.error;
  const faults = paramFaults(error instanceof ApiError ? error.problem.faults : undefined);
  useEffect(() => {
    if (ready) first.current?.focus();
  }, [ready]);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (request && !create.isPending) create.mutate(request);
  };
  const runs = preview.data && !preview.error ? preview.data.moments - preview.data.kept : undefined;
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      focusInside={ready}
      title={t('dialog.title', { name })}
      summary={schedule && t('dialog.summary', { revision: schedule.revision })}
      footer={
        <>
          <Button onClick={onClose}>{t('cancel', { ns: 'common' })}</Button>
          <Button
            type="submit"
            form={formId}
            variant="filled"
            loading={create.isPending}
            disabled={!ready || !request || runs === 0}
          >
            {runs ? t('dialog.startCount', { count: runs }) : t('dialog.start')}
          </Button>
        </>
      }
    >
      <form id={formId} className={styles.form} onSubmit={submit} noValidate>
        {loadError && !schedule ? <ErrorNote error={loadError} retry={() => void refetch()} /> : null}
        <RangeFields form={form} change={change} first={first} />
        <Choices form={form} change={change} />
        <ParamFields
          fields={fields}
          typed={typed}
          faults={faults}
          invalid={invalid}
          onChange={(param, value) => {
            setTyped((before) => ({ ...before, [param]: value }));
          }}
        />
        <TextInput
          label={t('dialog.note')}
          maxLength={1000}
          value={form.note}
          onChange={(event) => {
            change({ note: event.currentTarget.value });
          }}
        />
        <Checkbox
          label={t('dialog.withDependants')}
          description={t('dialog.withDependantsHint')}
          checked={form.withDependants}
          onChange={(event) => {
            change({ withDependants: event.currentTarget.checked });
          }}
        />
        <Preview preview={preview.data} error={error} zone={zone} parallel={form.parallel} />
      </form>
    </Dialog>
  );
}

/** The fields, and the request for them. */
function useForm(schedule: Schemas['Schedule'] | undefined, zone: string) {
  const [changed, setChanged] = useState<Partial<Form>>({});
  const form: Form = { ...initialForm(wallTimeAt(serverNow(), zone).slice(0, 10)), ...changed };
  const [typed, setTyped] = useState<Typed>({});
  const fields = schedule ? fieldsOf(schedule.definition as unknown as Definition) : [];
  const { params, invalid } = changedParams(fields, typed);
  return {
    form,
    change: (part: Partial<Form>) => {
      setChanged((before) => ({ ...before, ...part }));
    },
    fields,
    typed,
    setTyped,
    invalid,
    request: invalid.length > 0 ? undefined : requestOf(form, params),
  };
}
