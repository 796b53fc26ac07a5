import { Button, Menu } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { meQuery } from '@/api/queries';
import { usePollInterval } from '@/live';
import { Ago, Empty, ErrorNote, Row, RowMenu, Skeleton, Table } from '@/ui';
import { type Channel, channelsQuery } from './calls';
import { DeleteDialog } from './DeleteDialog';
import { DocumentDialog } from './DocumentDialog';
import { SecretsDialog } from './SecretsDialog';
import { newChannel } from './templates';
import { TestDialog } from './TestDialog';
import styles from './Alerts.module.css';

/** Poll interval in milliseconds: the live connection does not report channels. */
const POLL = 30_000;

/** The actions on a channel, in the order of its menu. Each has a dialog. */
const ACTIONS = ['test', 'secrets', 'edit', 'delete'] as const;
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
    <Button
      variant="filled"
      onClick={() => {
        setOpen({ action: 'create' });
      }}
    >
      {t('channels.create')}
    </Button>
  );
  return (
    <>
      <div className={styles.tools}>
        {me && !me.admin && <span className={styles.quiet}>{t('channels.adminOnly')}</span>}
        {items.length > 0 && create}
      </div>
      {query.isError && <ErrorNote error={query.error} retry={() => void query.refetch()} />}
      {query.isPending && <Skeleton rows={3} />}
      {query.isSuccess && items.length === 0 && (
        <Empty title={t('channels.none')}>
          <p className={styles.noneText}>{t('channels.noneDetail')}</p>
          {create}
        </Empty>
      )}
      {items.length > 0 && <ChannelTable channels={items} admin={admin} onOpen={setOpen} />}
      {open && <ChannelDialog open={open} onOpen={setOpen} />}
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

/** The dialog of an action. After a new channel is saved, it asks for the secrets. */
function ChannelDialog({ open, onOpen }: { open: Open; onOpen: (open?: Open) => void }) {
  const { i18n } = useTranslation('alerts');
  const close = () => {
    onOpen();
  };
  switch (open.action) {
    case 'create':
      return (
        <DocumentDialog
          kind="channel"
          template={newChannel('email', i18n.language)}
          onClose={close}
          onSaved={(name) => {
            onOpen({ action: 'secrets', name });
          }}
        />
      );
    case 'edit':
      return <DocumentDialog kind="channel" name={open.name} template="" onClose={close} />;
    case 'secrets':
      return <SecretsDialog name={open.name} onClose={close} />;
    case 'test':
      return <TestDialog name={open.name} onClose={close} />;
    case 'delete':
      return <DeleteDialog kind="channel" name={open.name} onClose={close} />;
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
  const about = [title, description].filter(Boolean).join(' · ');
  const missing = secrets.filter((secret) => secret.required && !secret.set);
  return (
    <Row className={styles.document}>
      <th scope="row" className={styles.name}>
        {admin ? (
          <button
            type="button"
            className={styles.open}
            onClick={() => {
              onAction('edit');
            }}
          >
            <bdi>{name}</bdi>
          </button>
        ) : (
          <bdi>{name}</bdi>
        )}
        {about && <small title={about}>{about}</small>}
      </th>
      <td className={styles.first}>{t(`type.${type}`)}</td>
      <td className={styles.second}>
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
      <td className={styles.third}>
        {usedBy.join(', ') || <span className={styles.quiet}>{t('channels.noRule')}</span>}
      </td>
      <td className={styles.changed}>
        <Ago at={updatedAt} />
        <small>{updatedBy}</small>
      </td>
      <td className={styles.actions}>
        {admin && (
          <RowMenu label={t('channels.menu', { name })} width={220}>
            {ACTIONS.map((action) => (
              <Menu.Item
                key={action}
                onClick={() => {
                  onAction(action);
                }}
              >
                {t(`channels.action.${action}`)}
              </Menu.Item>
            ))}
          </RowMenu>
        )}
      </td>
    </Row>
  );
}
