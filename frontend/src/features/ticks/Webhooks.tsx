import { Button, Select } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, data, type Schemas } from '@/api/client';
import { keys } from '@/api/queries';
import { Command, Dialog, ErrorNote, exact, NeedsServer } from '@/ui';
import styles from './Ticks.module.css';

type Webhook = Schemas['Webhook'];

/** How long an old secret may still hold, in hours. */
const OVERLAPS = ['0', '1', '24', '168'] as const;
type Overlap = (typeof OVERLAPS)[number];

interface Props {
  schedule: string;
  /** The time zone of the schedule. */
  zone: string;
  /** The triggers of the schedule as the server names them. */
  triggers?: readonly string[];
}

/** The webhooks of a schedule: how programs call them, and their secrets. Nothing is shown if it has none. */
export function Webhooks({ schedule, zone, triggers = [] }: Props) {
  const { t } = useTranslation('ticks');
  const [making, setMaking] = useState<Webhook>();
  const called = triggers.some((trigger) => trigger.startsWith('webhook '));
  const { data: list, error } = useQuery({
    enabled: called,
    queryKey: [...keys.schedule(schedule), 'webhooks'],
    queryFn: ({ signal }) =>
      data(api.GET('/api/v1/schedules/{name}/webhooks', { params: { path: { name: schedule } }, signal })),
  });
  if (!called) return null;
  return (
    <section aria-label={t('webhooks.title')} className={styles.webhooks}>
      {error && <ErrorNote error={error} />}
      {list?.items.map((webhook) => (
        <WebhookRow
          key={webhook.name}
          webhook={webhook}
          zone={zone}
          onMake={() => {
            setMaking(webhook);
          }}
        />
      ))}
      {making && (
        <SecretDialog
          schedule={schedule}
          webhook={making}
          onClose={() => {
            setMaking(undefined);
          }}
        />
      )}
    </section>
  );
}

function WebhookRow({ webhook, zone, onMake }: { webhook: Webhook; zone: string; onMake: () => void }) {
  const { t } = useTranslation('ticks');
  const { name, path, secrets, lastAt, pending } = webhook;
  const [newest, older] = secrets;
  return (
    <div className={styles.webhook}>
      <div>
        <b>{name}</b>
        <p>{t('webhooks.call', { path: `POST ${path}` })}</p>
        <p>
          {newest
            ? t('webhooks.since', { by: newest.createdBy, at: exact(newest.createdAt, { zone }) })
            : t('webhooks.noSecret')}{' '}
          {older?.expiresAt && t('webhooks.until', { at: exact(older.expiresAt, { zone }) })}{' '}
          {lastAt ? t('webhooks.last', { at: exact(lastAt, { zone, seconds: true }) }) : t('webhooks.never')}{' '}
          {pending > 0 && t('webhooks.pending', { count: pending })}
        </p>
      </div>
      <NeedsServer>
        <Button onClick={onMake} aria-label={t(newest ? 'webhooks.replaceOf' : 'webhooks.makeOf', { name })}>
          {t(newest ? 'webhooks.replace' : 'webhooks.make')}
        </Button>
      </NeedsServer>
    </div>
  );
}

/** The dialog that makes a secret, and shows it once. */
function SecretDialog({ schedule, webhook, onClose }: { schedule: string; webhook: Webhook; onClose: () => void }) {
  const { t } = useTranslation('ticks');
  const client = useQueryClient();
  const [overlap, setOverlap] = useState<Overlap>('24');
  const { name, secrets } = webhook;
  const make = useMutation({
    mutationFn: () =>
      data(
        api.POST('/api/v1/schedules/{name}/webhooks/{webhook}/secrets', {
          params: { path: { name: schedule, webhook: name } },
          body: { overlapHours: secrets.length > 0 ? Number(overlap) : 0 },
        }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.schedule(schedule) }),
  });
  const made = make.data;
  return (
    <Dialog
      opened
      title={t('webhooks.dialog', { name })}
      onClose={onClose}
      footer={
        <Button
          variant="filled"
          loading={make.isPending}
          onClick={() => {
            if (made) onClose();
            else make.mutate();
          }}
        >
          {t(made ? 'webhooks.done' : 'webhooks.submit')}
        </Button>
      }
    >
      {make.error && <ErrorNote error={make.error} />}
      {!made && secrets.length > 0 && (
        <Select
          label={t('webhooks.overlap')}
          value={overlap}
          allowDeselect={false}
          data={OVERLAPS.map((value) => ({ value, label: t(`webhooks.overlaps.${value}`) }))}
          onChange={(value) => {
            setOverlap(OVERLAPS.find((one) => one === value) ?? '24');
          }}
        />
      )}
      {made && (
        <div role="status" className={styles.secret}>
          <p>{t('webhooks.shown')}</p>
          <Command text={made.secret} />
          <p>{t('webhooks.example')}</p>
          <Command text={curl(`${window.location.origin}${made.path}`, made.secret, webhook.accept)} />
        </div>
      )}
    </Dialog>
  );
}

/** A call as a command line, with a body that has the values which the webhook takes. */
function curl(address: string, secret: string, accept: Webhook['accept']): string {
  const body: Record<string, unknown> = {};
  for (const pointer of Object.values(accept)) {
    const parts = pointer.split('/').slice(1);
    parts.reduce<Record<string, unknown>>((node, part, i) => {
      node[part] = i === parts.length - 1 ? '…' : (node[part] ?? {});
      return node[part] as Record<string, unknown>;
    }, body);
  }
  const text = JSON.stringify(body);
  return `curl -X POST -H 'Authorization: Bearer ${secret}'${text === '{}' ? '' : ` -d '${text}'`} ${address}`;
}
