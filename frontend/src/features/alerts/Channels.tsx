import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { meQuery } from '@/api/queries';
import { usePollInterval } from '@/live';
import { BeforeList, DocumentRow, lazyPreload, NeedsServer, Table } from '@/ui';
import { type Channel, channelsQuery } from './calls';
import { DeleteDialog } from './DeleteDialog';
import { TestDialog } from './TestDialog';
import styles from './Alerts.module.css';

const DocumentDialog = lazyPreload(async () => (await import('./DocumentDialog')).DocumentDialog);

/** Poll interval in milliseconds: the live connection does not report channels. */
const POLL = 30_000;

/** The actions on a channel, in the order of its menu. Each has a dialog. */
const ACTIONS = ['edit', 'test', 'delete'] as const;
type Action = (typeof ACTIONS)[number];
type Open = { action: 'create' } | { action: Action; name: string };

/** The channels: where alerts are sent, and whether they have what they need for it. */
export function Channels() {
  const { t } = useTranslation('alerts');
  const query = useQuery({ ...channelsQuery, refetchInterval: usePollInterval(POLL) });
  const { data: me } = useQuery(meQuery);
  const [open, setOpen] = useState<Open>();
  const items = query.data ?? [];
  const admin = me?.admin ?? false;
  const create = admin && (
    <NeedsServer>
      <Button
        variant="filled"
        onClick={() => {
          setOpen({ action: 'create' });
        }}
      >
        {t('channels.create')}
      </Button>
    </NeedsServer>
  );
  return (
    <>
      <BeforeList
        query={query}
        empty={items.length === 0}
        note={me && !me.admin && t('channels.adminOnly')}
        create={create}
        none={t('channels.none')}
        detail={t('channels.noneDetail')}
      />
      {items.length > 0 && <ChannelTable channels={items} admin={admin} onOpen={setOpen} />}
      {open && (
        <ChannelDialog
          open={open}
          onClose={() => {
            setOpen(undefined);
          }}
        />
      )}
    </>
  );
}

interface TableProps {
  channels: readonly Channel[];
  admin: boolean;
  onOpen: (open: Open) => void;
}

function ChannelTable({ channels, admin, onOpen }: TableProps) {
  const { t } = useTranslation('alerts');
  return (
    <Table
      caption={t('view.channels')}
      head={
        <tr>
          <th scope="col">{t('head.name')}</th>
          <th scope="col">{t('head.type')}</th>
          <th scope="col">{t('head.secrets')}</th>
          <th scope="col">{t('head.usedBy')}</th>
          <th scope="col">{t('head.changed')}</th>
          <th>
            <span className="hg-visually-hidden">{t('head.actions')}</span>
          </th>
        </tr>
      }
    >
      <tbody>
        {channels.map((channel) => (
          <ChannelRow
            key={channel.name}
            channel={channel}
            admin={admin}
            onAction={(action) => {
              onOpen({ action, name: channel.name });
            }}
          />
        ))}
      </tbody>
    </Table>
  );
}

/** The dialog of an action. */
function ChannelDialog({ open, onClose }: { open: Open; onClose: () => void }) {
  switch (open.action) {
    case 'create':
      return <DocumentDialog kind="channel" onClose={onClose} />;
    case 'edit':
      return <DocumentDialog kind="channel" name={open.name} onClose={onClose} />;
    case 'test':
      return <TestDialog name={open.name} onClose={onClose} />;
    case 'delete':
      return <DeleteDialog kind="channel" name={open.name} onClose={onClose} />;
  }
}

interface RowProps {
  channel: Channel;
  admin: boolean;
  onAction: (action: Action) => void;
}

function ChannelRow({ channel, admin, onAction }: RowProps) {
  const { t } = useTranslation('alerts');
  const { name, title, description, type, secrets, usedBy, updatedAt, updatedBy } = channel;
  const missing = secrets.filter((secret) => secret.required && !secret.set);
  return (
    <DocumentRow
      name={name}
      about={[title, description]}
      onOpen={
        admin
          ? () => {
              onAction('edit');
            }
          : undefined
      }
      changedAt={updatedAt}
      changedBy={updatedBy}
      menu={t('channels.menu', { name })}
      actions={admin ? ACTIONS.map((action) => [action, t(`channels.action.${action}`)] as const) : []}
      onAction={onAction}
    >
      <td>{t(`type.${type}`)}</td>
      <td>
        {missing.length > 0 ? (
          <span className={styles.warning}>
            {t('channels.missing', { names: missing.map((secret) => secret.name).join(', ') })}
          </span>
        ) : (
          secrets
            .filter((secret) => secret.set)
            .map((secret) => secret.name)
            .join(', ') || <span className={styles.quiet}>{t('channels.noSecrets')}</span>
        )}
      </td>
      <td>{usedBy.join(', ') || <span className={styles.quiet}>{t('channels.noRule')}</span>}</td>
    </DocumentRow>
  );
}
