import { Button, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, ApiError, data } from '@/api/client';
import type { Definition } from '@/api/definition';
import { scheduleQuery } from '@/api/queries';
import { changedParams, fieldsOf, ParamFields, paramFaults, type Typed } from '@/features/run';
import { Dialog, ErrorNote, momentAtWallTime, useExact, wallTimeAt } from '@/ui';
import type { ChangeAction } from './change';
import styles from './Planned.module.css';
import { useRefresh } from './useUndo';

interface Props {
  schedule: string;
  moment: string;
  action: ChangeAction;
  onClose: () => void;
}

/** The actions whose dialogs ask for params. */
const TAKE_PARAMS: ReadonlySet<ChangeAction> = new Set(['params', 'move']);

/** What is typed into the dialog, and whether it can be sent. */
function useForm(name: string, moment: string, action: ChangeAction) {
  const { data: schedule } = useQuery(scheduleQuery(name));
  const zone = schedule?.timezone || 'UTC';
  const [wallTime, setWallTime] = useState<string>();
  const [reason, setReason] = useState('');
  const [typed, setTyped] = useState<Typed>({});
  const shown = wallTime ?? wallTimeAt(Date.parse(moment), zone).slice(0, 16);
  const to = action === 'move' ? momentAtWallTime(shown, zone) : undefined;
  const fields = schedule && TAKE_PARAMS.has(action) ? fieldsOf(schedule.definition as unknown as Definition) : [];
  const { params, invalid } = changedParams(fields, typed);
  const given = Object.keys(params).length > 0;
  const complete =
    action === 'move' ? to !== undefined && to.getTime() !== Date.parse(moment) : action !== 'params' || given;
  return {
    ...{ loaded: schedule !== undefined, zone, shown, to, reason, typed, fields, invalid },
    ...{ setWallTime, setReason, setTyped },
    ready: schedule !== undefined && reason.trim() !== '' && complete && invalid.length === 0,
    body: { action, reason: reason.trim(), to: to?.toISOString(), params: given ? params : undefined },
  };
}

/** The dialog that plans a change of one coming moment. It asks for the reason. */
export function ChangeDialog({ schedule: name, moment, action, onClose }: Props) {
  const { t } = useTranslation(['planned', 'common']);
  const exact = useExact();
  const id = useId();
  const form = useForm(name, moment, action);
  const refresh = useRefresh(name);
  const plan = useMutation({
    mutationFn: () =>
      data(
        api.PUT('/api/v1/schedules/{name}/planned-changes/{moment}', {
          params: { path: { name, moment } },
          body: form.body,
        }),
      ),
    onSuccess: () => {
      refresh();
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (form.ready && !plan.isPending) plan.mutate();
  };
  const faults = paramFaults(plan.error instanceof ApiError ? plan.error.problem.faults : undefined);
  return (
    <Dialog
      opened
      onClose={onClose}
      focusInside
      title={t(`planned:title.${action}`, { schedule: name, at: exact(moment) })}
      summary={t(`planned:summary.${action}`)}
      footer={
        <>
          <Button onClick={onClose}>{t('common:cancel')}</Button>
          <Button type="submit" form={id} variant="filled" disabled={!form.ready} loading={plan.isPending}>
            {t(`planned:do.${action}`)}
          </Button>
        </>
      }
    >
      <form id={id} className={styles.form} onSubmit={submit} noValidate>
        {plan.error && <ErrorNote error={plan.error} />}
        {action === 'move' && <NewTime {...form} onChange={form.setWallTime} />}
        <ParamFields
          fields={form.fields}
          typed={form.typed}
          faults={faults}
          invalid={form.invalid}
          onChange={(param, value) => {
            form.setTyped((before) => ({ ...before, [param]: value }));
          }}
        />
        {action === 'params' && form.loaded && form.fields.length === 0 && <p>{t('planned:noParams')}</p>}
        <TextInput
          data-autofocus={action === 'move' ? undefined : true}
          label={t('planned:reason')}
          value={form.reason}
          maxLength={500}
          onChange={(event) => {
            form.setReason(event.currentTarget.value);
          }}
        />
      </form>
    </Dialog>
  );
}

interface NewTimeProps {
  shown: string;
  to?: Date;
  zone: string;
  onChange: (wallTime: string) => void;
}

/** The field for the time to which a moment is moved, in the zone of the schedule. */
function NewTime({ shown, to, zone, onChange }: NewTimeProps) {
  const { t } = useTranslation('planned');
  return (
    <TextInput
      type="datetime-local"
      step={60}
      data-autofocus
      label={t('to')}
      description={zone}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      value={shown}
      onChange={(event) => {
        onChange(event.currentTarget.value);
      }}
      error={shown !== '' && to === undefined ? t('noSuchTime', { zone }) : undefined}
    />
  );
}
