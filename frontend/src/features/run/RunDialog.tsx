import { Button, SegmentedControl, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, ApiError, data, newIdempotencyKey } from '@/api/client';
import type { Definition } from '@/api/definition';
import { faultText } from '@/api/problem';
import { keys, scheduleQuery } from '@/api/queries';
import { Dialog, ErrorNote, serverNow } from '@/ui';
import { Cautions } from './Cautions';
import { ParamInput } from './ParamInput';
import { fieldsOf, given, paramFaults, type Typed } from './params';
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
  const { t: problems } = useTranslation('problems');
  const navigate = useNavigate();
  const queries = useQueryClient();
  const form = useId();
  const { data: schedule, error: unread, refetch } = useQuery({ ...scheduleQuery(name), refetchOnMount: 'always' });
  const definition = schedule?.definition as unknown as Definition | undefined;
  const zone = schedule?.timezone || 'UTC';
  const fields = definition ? fieldsOf(definition) : [];
  const [typed, setTyped] = useState<Typed>({});
  const [wall, setWall] = useState<string>(); // the time that was asked for; undefined is now
  const [tried, setTried] = useState(false);
  const [sending, setSending] = useState(false);
  const [error, setError] = useState<unknown>();
  const order = useRef({ key: newIdempotencyKey(), body: '' });
  const busy = useRef(false);
  const firstField = useRef<HTMLInputElement>(null);
  const primary = useRef<HTMLButtonElement>(null);

  const { params, wrong } = given(fields, typed);
  const at = wall === undefined ? undefined : momentOf(wall, zone);
  const faults = error instanceof ApiError ? paramFaults(error.problem.faults) : new Map<string, never>();
  const known = fields.some((f) => faults.has(f.name));
  const ready = schedule !== undefined;
  useEffect(() => {
    if (ready) (firstField.current ?? primary.current)?.focus();
  }, [ready]);

  const run = async () => {
    const body = { task, at: at?.toISOString(), params: Object.keys(params).length > 0 ? params : undefined };
    // One key for one run: sent again after a lost answer it makes no second batch. Another run is another order.
    const text = JSON.stringify(body);
    if (order.current.body !== '' && order.current.body !== text) order.current.key = newIdempotencyKey();
    order.current.body = text;
    const batch = await data(
      api.POST('/api/v1/schedules/{name}/batches', {
        params: { path: { name }, header: { 'Idempotency-Key': order.current.key } },
        body,
      }),
    );
    for (const queryKey of [keys.batches, keys.schedules, keys.overview, keys.schedule(name)])
      void queries.invalidateQueries({ queryKey });
    onClose();
    await navigate({ to: '/batches/$id', params: { id: batch.id } });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (busy.current || !schedule || wrong.length > 0 || (wall !== undefined && !at)) return;
    busy.current = true;
    setSending(true);
    setError(undefined);
    run()
      .catch((failed: unknown) => {
        setError(failed);
      })
      .finally(() => {
        busy.current = false;
        setSending(false);
      });
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
        {error !== undefined && !known ? <ErrorNote error={error} /> : null}
        {definition && <Cautions schedule={name} definition={definition} task={task} zone={zone} />}
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
              error={
                fault ? faultText(fault, problems) : tried && wrong.includes(field.name) ? t('notNumber') : undefined
              }
              onChange={(value) => {
                setTyped((before) => ({ ...before, [field.name]: value }));
              }}
            />
          );
        })}
        <fieldset className={styles.when}>
          <legend>{t('when')}</legend>
          <SegmentedControl
            aria-label={t('when')}
            classNames={{ label: styles.choice }}
            value={wall === undefined ? 'now' : 'at'}
            onChange={(choice) => {
              setWall(choice === 'now' ? undefined : wallAt(serverNow(), zone).slice(0, 16));
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
                setWall(event.currentTarget.value);
              }}
              error={
                wall !== '' && !at ? t('noSuchTime', { zone }) : tried && wall === '' ? t('timeMissing') : undefined
              }
            />
          )}
          <p className="hg-quiet">{t('whenHint')}</p>
        </fieldset>
      </form>
    </Dialog>
  );
}
