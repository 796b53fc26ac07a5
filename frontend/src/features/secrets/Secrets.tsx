import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { meQuery } from '@/api/queries';
import { type Secret, secretsQuery } from '@/api/secrets';
import { DocumentRow, NeedsServer, Table } from '@/ui';
import { Before } from './Before';
import { DeleteDialog } from './DeleteDialog';
import { writeGroups } from './groups';
import { SecretDialog } from './SecretDialog';
import styles from './Secrets.module.css';

/** The actions on a secret, in the order of its menu. Each has a dialog. */
const ACTIONS = ['set', 'delete'] as const;
const ROTATE = 'hivego secrets rotate-key';
/** An open dialog. */
type Open = { action: 'create' } | { action: (typeof ACTIONS)[number]; secret: Secret };

/** The secrets of tasks: who may have them, and who changed them. Nothing shows a value. */
export function Secrets() {
  const { t } = useTranslation('secrets');
  const query = useQuery(secretsQuery);
  const admin = useQuery(meQuery).data?.admin ?? false;
  const [open, setOpen] = useState<Open>();
  const items = query.data ?? [];
  const close = () => {
    setOpen(undefined);
  };
  const create = admin && (
    <NeedsServer>
      <Button
        variant="filled"
        onClick={() => {
          setOpen({ action: 'create' });
        }}
      >
        {t('secret.create')}
      </Button>
    </NeedsServer>
  );
  return (
    <>
      <Before query={query} kind="secret" empty={items.length === 0} create={create} />
      {items.length > 0 && <SecretTable secrets={items} admin={admin} onOpen={setOpen} />}
      {items.length > 0 && admin && (
        <p className={styles.hint}>
          {t('secret.rotate')} <code>{ROTATE}</code>
        </p>
      )}
      {open && <OpenDialog open={open} onClose={close} />}
    </>
  );
}

function OpenDialog({ open, onClose }: { open: Open; onClose: () => void }) {
  switch (open.action) {
    case 'create':
      return <SecretDialog onClose={onClose} />;
    case 'set':
      return <SecretDialog secret={open.secret} onClose={onClose} />;
    case 'delete':
      return <DeleteDialog kind="secret" name={open.secret.name} onClose={onClose} />;
  }
}

interface TableProps {
  secrets: readonly Secret[];
  admin: boolean;
  onOpen: (open: Open) => void;
}

function SecretTable({ secrets, admin, onOpen }: TableProps) {
  const { t } = useTranslation('secrets');
  return (
    <Table
      caption={t('view.secrets')}
      head={
        <tr>
          <th scope="col">{t('head.name')}</th>
          <th scope="col">{t('head.groups')}</th>
          <th scope="col">{t('head.changed')}</th>
          <th>
            <span className="hg-visually-hidden">{t('head.actions')}</span>
          </th>
        </tr>
      }
    >
      <tbody>
        {secrets.map((secret) => (
          <DocumentRow
            key={secret.name}
            name={secret.name}
            code
            changedAt={secret.updatedAt}
            changedBy={secret.updatedBy}
            menu={t('secret.menu', { name: secret.name })}
            actions={admin ? ACTIONS.map((action) => [action, t(`secret.action.${action}`)] as const) : []}
            onAction={(action) => {
              onOpen({ action, secret });
            }}
          >
            <td>{writeGroups(secret.groups) || <span className={styles.quiet}>{t('noGroup')}</span>}</td>
          </DocumentRow>
        ))}
      </tbody>
    </Table>
  );
}
