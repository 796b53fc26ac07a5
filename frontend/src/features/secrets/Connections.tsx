import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { meQuery } from '@/api/queries';
import { type Connection, connectionsQuery, type ConnectionType } from '@/api/secrets';
import { DocumentRow, NeedsServer, Table } from '@/ui';
import { Before } from './Before';
import { ConnectionDialog } from './ConnectionDialog';
import { DeleteDialog } from './DeleteDialog';
import { writeGroups } from './groups';
import { TestDialog } from './TestDialog';

const ACTIONS = ['test', 'edit', 'delete'] as const;
/** An open dialog. */
type Open = { action: 'create' } | { action: (typeof ACTIONS)[number]; name: string };

/** The connections of the server: what they are, who may have them, and who changed them. */
export function Connections() {
  const { t } = useTranslation('secrets');
  const query = useQuery(connectionsQuery);
  const admin = useQuery(meQuery).data?.admin ?? false;
  const [open, setOpen] = useState<Open>();
  const items = query.data?.items ?? [];
  const types = query.data?.types ?? [];
  const create = admin && (
    <NeedsServer>
      <Button
        variant="filled"
        onClick={() => {
          setOpen({ action: 'create' });
        }}
      >
        {t('connection.create')}
      </Button>
    </NeedsServer>
  );
  return (
    <>
      <Before query={query} kind="connection" empty={items.length === 0} create={create} />
      {items.length > 0 && <ConnectionTable connections={items} types={types} admin={admin} onOpen={setOpen} />}
      {open && <OpenDialog open={open} types={types} onOpen={setOpen} />}
    </>
  );
}

function OpenDialog({
  open,
  types,
  onOpen,
}: {
  open: Open;
  types: readonly ConnectionType[];
  onOpen: (open?: Open) => void;
}) {
  const close = () => {
    onOpen();
  };
  switch (open.action) {
    case 'create':
    case 'edit':
      return (
        <ConnectionDialog
          name={open.action === 'edit' ? open.name : undefined}
          types={types}
          onClose={close}
          onTest={(name) => {
            onOpen({ action: 'test', name });
          }}
        />
      );
    case 'test':
      return <TestDialog name={open.name} onClose={close} />;
    case 'delete':
      return <DeleteDialog kind="connection" name={open.name} onClose={close} />;
  }
}

interface TableProps {
  connections: readonly Connection[];
  types: readonly ConnectionType[];
  admin: boolean;
  onOpen: (open: Open) => void;
}

function ConnectionTable({ connections, types, admin, onOpen }: TableProps) {
  const { t } = useTranslation('secrets');
  return (
    <Table
      caption={t('view.connections')}
      head={
        <tr>
          <th scope="col">{t('head.name')}</th>
          <th scope="col">{t('head.type')}</th>
          <th scope="col">{t('head.groups')}</th>
          <th scope="col">{t('head.changed')}</th>
          <th>
            <span className="hg-visually-hidden">{t('head.actions')}</span>
          </th>
        </tr>
      }
    >
      <tbody>
        {connections.map((one) => (
          <DocumentRow
            key={one.name}
            name={one.name}
            about={[one.title, one.description]}
            onOpen={
              admin
                ? () => {
                    onOpen({ action: 'edit', name: one.name });
                  }
                : undefined
            }
            changedAt={one.updatedAt}
            changedBy={one.updatedBy}
            menu={t('connection.menu', { name: one.name })}
            actions={admin ? ACTIONS.map((action) => [action, t(`connection.action.${action}`)] as const) : []}
            onAction={(action) => {
              onOpen({ action, name: one.name });
            }}
          >
            <td>{types.find(({ name }) => name === one.type)?.title ?? one.type}</td>
            <td>{writeGroups(one.groups)}</td>
          </DocumentRow>
        ))}
      </tbody>
    </Table>
  );
}
