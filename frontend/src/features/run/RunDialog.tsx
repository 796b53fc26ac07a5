import { Button, SegmentedControl, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, ApiError, data, newIdempotencyKey, type Schemas } from '@/api/client';
import type { Definition } from '@/api/definition';
import { executorsQuery, keys, scheduleQuery } from '@/api/queries';
import { Dialog, ErrorNote, exact, momentAtWallTime, serverNow, wallTimeAt } from '@/ui';
import { type FieldsProps, ParamFields } from './ParamFields';
import { changedParams, fieldsOf, paramFaults, tasksWithoutExecutor, type Typed } from './params';
import styles from './Run.module.css';

interface Props {
  schedule: string;
  task?: string;
  opened: boolean;
  onClose: () => void;
}

/** Asks for the params and the logical time of a run, starts it, and opens its batch. */
export function RunDialog({ schedule: name, task, opened, onClose }: Props) {
  const { t } = useTranslation(['run', 'problems']);
  const form = useId();
  const { data: schedule, error: loadError, refetch } = useQuery({ ...scheduleQuery(name), refetchOnMount: 'always' });
  const definition = schedule?.definition as unknown as Definition | undefined;
  const zone = schedule?.timezone || 'UTC';
  const fields = definition ? fieldsOf(definition) : [];
  const [typed, setTyped] = useState<Typed>({});
  const [wallTime, setWallTime] = useState<string>(); // the chosen time; undefined means now
  const [submitted, setSubmitted] = useState(false);
  const firstField = useRef<HTMLInputElement>(null);
  const runButton = useRef<HTMLButtonElement>(null);

  const { send, sending, error } = useSend(name, onClose);
  const { params, invalid } = changedParams(fields, typed);
  const at = wallTime === undefined ? undefined : momentAtWallTime(wallTime, zone);
  const faults = faultsOf(error);
  const ready = schedule !== undefined;
  useEffect(() => {
    if (ready) (firstField.current ?? runButton.current)?.focus();
  }, [ready]);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setSubmitted(true);
    if (!schedule || invalid.length > 0 || (wallTime !== undefined && !at)) return;
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
            ref={runButton}
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
        {loadError && !schedule ? <ErrorNote error={loadError} retry={() => void refetch()} /> : null}
        <RunError error={error} fields={fields} faults={faults} />
        {definition && <Warnings schedule={name} definition={definition} task={task} zone={zone} />}
        <ParamFields
          fields={fields}
          typed={typed}
          faults={faults}
          invalid={submitted ? invalid : []}
          firstField={firstField}
          onChange={(name, value) => {
            setTyped((before) => ({ ...before, [name]: value }));
          }}
        />
        <MomentField wallTime={wallTime} at={at} zone={zone} submitted={submitted} onChange={setWallTime} />
      </form>
    </Dialog>
  );
}

function faultsOf(error: unknown): ReadonlyMap<string, Schemas['Fault']> {
  return error instanceof ApiError ? paramFaults(error.problem.faults) : new Map();
}

/** Why the run was refused, unless a field shows the reason. */
function RunError({ error, fields, faults }: Pick<FieldsProps, 'fields' | 'faults'> & { error: unknown }) {
  if (error === undefined || fields.some((field) => faults.has(field.name))) return null;
  return <ErrorNote error={error} />;
}

type Order = Schemas['RunRequest'];

/** Sends a run, one at a time, and opens its batch. `error` is the error of the last attempt. */
function useSend(schedule: string, onDone: () => void) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [sending, setSending] = useState(false);
  const [error, setError] = useState<unknown>();
  const order = useRef({ key: newIdempotencyKey(), body: '' });
  const busy = useRef(false);
  const run = async (body: Order) => {
    // A run keeps its key, so that sending it again after a lost answer does not start a second batch.
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

interface MomentProps {
  /** The local time in the zone; undefined means now. */
  wallTime?: string;
  /** The moment of that time; undefined if the zone never has this local time. */
  at?: Date;
  zone: string;
  submitted: boolean;
  onChange: (wallTime: string | undefined) => void;
}

/** The logical time of the run: now, or a chosen time in the zone of the schedule. */
function MomentField({ wallTime, at, zone, submitted, onChange }: MomentProps) {
  const { t } = useTranslation('run');
  return (
    <fieldset className={styles.when}>
      <legend>{t('when')}</legend>
      <SegmentedControl
        aria-label={t('when')}
        classNames={{ label: styles.choice }}
        value={wallTime === undefined ? 'now' : 'at'}
        onChange={(choice) => {
          onChange(choice === 'now' ? undefined : wallTimeAt(serverNow(), zone).slice(0, 16));
        }}
        data={[
          { value: 'now', label: t('now') },
          { value: 'at', label: t('at') },
        ]}
      />
      {wallTime !== undefined && (
        <TextInput
          type="datetime-local"
          step={60}
          aria-label={t('moment', { zone })}
          description={zone}
          inputWrapperOrder={['input', 'description', 'error']}
          value={wallTime}
          onChange={(event) => {
            onChange(event.currentTarget.value);
          }}
          error={
            wallTime !== '' && !at
              ? t('noSuchTime', { zone })
              : submitted && wallTime === ''
                ? t('timeMissing')
                : undefined
          }
        />
      )}
      <p className="hg-quiet">{t('whenHint')}</p>
    </fieldset>
  );
}

interface WarningsProps {
  schedule: string;
  definition: Definition;
  task?: string;
  zone: string;
}

/** Warns of a live batch of the schedule, and of tasks that no executor would take now. It never prevents the run. */
function Warnings({ schedule, definition, task, zone }: WarningsProps) {
  const { t } = useTranslation('run');
  const { data: live } = useQuery({
    queryKey: [...keys.batches, 'live', schedule],
    queryFn: () => data(api.GET('/api/v1/batches', { params: { query: { schedule, live: true, limit: 20 } } })),
    enabled: task === undefined, // a run of a single task is not a batch of the schedule
    refetchOnMount: 'always',
  });
  const { data: executors } = useQuery(executorsQuery);
  const running = live?.items[0];
  const missing = executors ? tasksWithoutExecutor(definition, executors.items, task) : [];
  if (!running && missing.length === 0) return null;
  return (
    <div className={styles.warnings}>
      {running && (
        <p>
          {t(running.state === 'queued' ? 'oneQueued' : 'oneRuns', {
            at: exact(running.startedAt ?? running.createdAt, { zone }),
          })}{' '}
          <Link to="/batches/$id" params={{ id: running.id }}>
            {t('look')}
          </Link>
        </p>
      )}
      {missing.map((m) => (
        <p key={`${m.handler} ${m.group} ${m.executor ?? ''}`}>
          {t(m.executor ? 'nobodyNamed' : 'nobody', {
            handler: m.handler,
            group: m.group,
            executor: m.executor,
            count: m.tasks.length,
            tasks: m.tasks.slice(0, 5).join(', ') + (m.tasks.length > 5 ? ' …' : ''),
          })}
        </p>
      ))}
    </div>
  );
}
