import { Button, SegmentedControl, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, type Ref, useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, ApiError, data, newIdempotencyKey, type Schemas } from '@/api/client';
import type { Definition } from '@/api/definition';
import { faultText } from '@/api/problem';
import { keys, scheduleQuery } from '@/api/queries';
import { Dialog, ErrorNote, serverNow } from '@/ui';
import { Cautions } from './Cautions';
import { ParamInput } from './ParamInput';
import { fieldsOf, given, type ParamField, paramFaults, type Typed } from './params';
import { momentOf, wallAt } from './zoned';
import styles from './Run.module.css';

interface Props {
  schedule: string;
  task?: string;
  opened: boolean;
  onClose: () => void;
}

/** Asks what a run needs to know, as little as possible, and goes to the batch that it makes. */
export function RunDialog({ schedule: name, task, opened, onClose }: Props) {
  const { t } = useTranslation(['run', 'problems']);
  const form = useId();
  const { data: schedule, error: unread, refetch } = useQuery({ ...scheduleQuery(name), refetchOnMount: 'always' });
  const definition = schedule?.definition as unknown as Definition | undefined;
  const zone = schedule?.timezone || 'UTC';
  const fields = definition ? fieldsOf(definition) : [];
  const [typed, setTyped] = useState<Typed>({});
  const [wall, setWall] = useState<string>(); // the chosen time; undefined means now
  const [tried, setTried] = useState(false);
  const firstField = useRef<HTMLInputElement>(null);
  const primary = useRef<HTMLButtonElement>(null);

  const { send, sending, error } = useSend(name, onClose);
  const { params, wrong } = given(fields, typed);
  const at = wall === undefined ? undefined : momentOf(wall, zone);
  const faults = faultsOf(error);
  const ready = schedule !== undefined;
  useEffect(() => {
    if (ready) (firstField.current ?? primary.current)?.focus();
  }, [ready]);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (!schedule || wrong.length > 0 || (wall !== undefined && !at)) return;
    send({ task, at: at?.toISOString(), params: Object.keys(params).length > 0 ? params : undefined });
  };

  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      focusInside={ready}
      title={t(task ? 'titleTask' : 'title', { name, task })}
      summary={schedule && t(task ? 'summaryTask' : 'summary', { revision: schedule.revision })}
      footer={
        <>
          <Button onClick={onClose}>{t('cancel', { ns: 'common' })}</Button>
          <Button
            ref={primary}
            type="submit"
            form={form}
            variant="filled"
            loading={sending}
            disabled={!ready}
            data-autofocus={ready && fields.length === 0 ? true : undefined}
          >
            {t('runNow')}
          </Button>
        </>
      }
    >
      <form id={form} className={styles.form} onSubmit={submit} noValidate>
        {unread && !schedule ? <ErrorNote error={unread} retry={() => void refetch()} /> : null}
        <RunError error={error} fields={fields} faults={faults} />
        {definition && <Cautions schedule={name} definition={definition} task={task} zone={zone} />}
        <ParamFields
          fields={fields}
          typed={typed}
          faults={faults}
          wrong={tried ? wrong : []}
          firstField={firstField}
          onChange={(name, value) => {
            setTyped((before) => ({ ...before, [name]: value }));
          }}
        />
        <MomentField wall={wall} at={at} zone={zone} tried={tried} onChange={setWall} />
      </form>
    </Dialog>
  );
}

function faultsOf(error: unknown): ReadonlyMap<string, Schemas['Fault']> {
  return error instanceof ApiError ? paramFaults(error.problem.faults) : new Map();
}

/** Why the run was refused, unless that stands at a field. */
function RunError({ error, fields, faults }: Pick<FieldsProps, 'fields' | 'faults'> & { error: unknown }) {
  if (error === undefined || fields.some((field) => faults.has(field.name))) return null;
  return <ErrorNote error={error} />;
}

type Order = Schemas['RunRequest'];

/** Sends a run, once at a time, and goes to the batch that it starts. `error` is that of the last try. */
function useSend(schedule: string, onDone: () => void) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [sending, setSending] = useState(false);
  const [error, setError] = useState<unknown>();
  const order = useRef({ key: newIdempotencyKey(), body: '' });
  const busy = useRef(false);
  const run = async (body: Order) => {
    // One run has one key, so that sending it again after a lost answer starts no second batch.
    const text = JSON.stringify(body);
    if (order.current.body !== '' && order.current.body !== text) order.current.key = newIdempotencyKey();
    order.current.body = text;
    const batch = await data(
      api.POST('/api/v1/schedules/{name}/batches', {
        params: { path: { name: schedule }, header: { 'Idempotency-Key': order.current.key } },
        body,
      }),
    );
    for (const queryKey of [keys.batches, keys.schedules, keys.overview, keys.schedule(schedule)])
      void queries.invalidateQueries({ queryKey });
    onDone();
    await navigate({ to: '/batches/$id', params: { id: batch.id } });
  };
  const send = (body: Order) => {
    if (busy.current) return;
    busy.current = true;
    setSending(true);
    setError(undefined);
    run(body)
      .catch((failed: unknown) => {
        setError(failed);
      })
      .finally(() => {
        busy.current = false;
        setSending(false);
      });
  };
  return { send, sending, error };
}

interface FieldsProps {
  fields: readonly ParamField[];
  typed: Typed;
  faults: ReadonlyMap<string, Schemas['Fault']>;
  /** Names of the fields whose text is not a number. */
  wrong: readonly string[];
  firstField: Ref<HTMLInputElement>;
  onChange: (name: string, value: string | boolean) => void;
}

function ParamFields({ fields, typed, faults, wrong, firstField, onChange }: FieldsProps) {
  const { t } = useTranslation('run');
  const { t: problems } = useTranslation('problems');
  return (
    <>
      {fields.map((field, i) => {
        const fault = faults.get(field.name);
        return (
          <ParamInput
            key={field.name}
            field={field}
            ref={i === 0 ? firstField : undefined}
            value={
              typed[field.name] ?? (field.kind === 'boolean' ? (field.declared as boolean) : String(field.declared))
            }
            error={fault ? faultText(fault, problems) : wrong.includes(field.name) ? t('notNumber') : undefined}
            onChange={(value) => {
              onChange(field.name, value);
            }}
          />
        );
      })}
    </>
  );
}

interface MomentProps {
  /** The time on the clock of the zone; undefined means now. */
  wall?: string;
  /** The moment of that time; undefined if the zone never has it. */
  at?: Date;
  zone: string;
  tried: boolean;
  onChange: (wall: string | undefined) => void;
}

/** The logical time of the run: now, or a chosen time in the zone of the schedule. */
function MomentField({ wall, at, zone, tried, onChange }: MomentProps) {
  const { t } = useTranslation('run');
  return (
    <fieldset className={styles.when}>
      <legend>{t('when')}</legend>
      <SegmentedControl
        aria-label={t('when')}
        classNames={{ label: styles.choice }}
        value={wall === undefined ? 'now' : 'at'}
        onChange={(choice) => {
          onChange(choice === 'now' ? undefined : wallAt(serverNow(), zone).slice(0, 16));
        }}
        data={[
          { value: 'now', label: t('now') },
          { value: 'at', label: t('at') },
        ]}
      />
      {wall !== undefined && (
        <TextInput
          type="datetime-local"
          step={60}
          aria-label={t('moment', { zone })}
          description={zone}
          inputWrapperOrder={['input', 'description', 'error']}
          value={wall}
          onChange={(event) => {
            onChange(event.currentTarget.value);
          }}
          error={wall !== '' && !at ? t('noSuchTime', { zone }) : tried && wall === '' ? t('timeMissing') : undefined}
        />
      )}
      <p className="hg-quiet">{t('whenHint')}</p>
    </fieldset>
  );
}
