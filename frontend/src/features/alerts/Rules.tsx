import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCommands } from '@/features/find';
import { usePollInterval } from '@/live';
import { BeforeList, DocumentRow, lazyPreload, NeedsServer, Table, useCommandGuard } from '@/ui';
import { channelsQuery, type Rule, rulesQuery } from './calls';
import { DeleteDialog } from './DeleteDialog';
import styles from './Alerts.module.css';

const DocumentDialog = lazyPreload(async () => (await import('./DocumentDialog')).DocumentDialog);

/** Poll interval in milliseconds: the live connection does not report rules. */
const POLL = 30_000;

/** The rules: the events that they report, of some schedules or of all, and where. */
export function Rules() {
  const { t } = useTranslation('alerts');
  const query = useQuery({ ...rulesQuery, refetchInterval: usePollInterval(POLL) });
  const channels = useQuery(channelsQuery);
  const [edited, setEdited] = useState<{ name?: string }>();
  const [deleted, setDeleted] = useState<string>();
  const hasChannels = channels.data?.length !== 0;
  const mayStart = useCommandGuard();
  useCommands({
    commands: hasChannels
      ? [
          {
            id: 'rule',
            label: t('rules.create'),
            words: ['new'],
            run: () => {
              if (mayStart()) setEdited({});
            },
          },
        ]
      : [],
  });
  const items = query.data ?? [];
  const create = (
    <NeedsServer>
      <Button
        variant="filled"
        disabled={!hasChannels}
        onClick={() => {
          setEdited({});
        }}
      >
        {t('rules.create')}
      </Button>
    </NeedsServer>
  );
  return (
    <>
      <BeforeList
        query={query}
        empty={items.length === 0}
        create={create}
        none={t('rules.none')}
        detail={t(channels.data?.length === 0 ? 'rules.noChannel' : 'rules.noneDetail')}
      />
      {items.length > 0 && (
        <Table
          caption={t('view.rules')}
          head={
            <tr>
              <th scope="col">{t('head.name')}</th>
              <th scope="col">{t('head.events')}</th>
              <th scope="col">{t('head.schedules')}</th>
              <th scope="col">{t('head.channels')}</th>
              <th scope="col">{t('head.changed')}</th>
              <th>
                <span className="hg-visually-hidden">{t('head.actions')}</span>
              </th>
            </tr>
          }
        >
          <tbody>
            {items.map((rule) => (
              <RuleRow key={rule.name} rule={rule} onEdit={setEdited} onDelete={setDeleted} />
            ))}
          </tbody>
        </Table>
      )}
      {edited && (
        <DocumentDialog
          kind="rule"
          name={edited.name}
          onClose={() => {
            setEdited(undefined);
          }}
        />
      )}
      {deleted !== undefined && (
        <DeleteDialog
          kind="rule"
          name={deleted}
          onClose={() => {
            setDeleted(undefined);
          }}
        />
      )}
    </>
  );
}

interface RowProps {
  rule: Rule;
  onEdit: (edited: { name: string }) => void;
  onDelete: (name: string) => void;
}

function RuleRow({ rule, onEdit, onDelete }: RowProps) {
  const { t } = useTranslation('alerts');
  const { name, title, description, on, schedules, tags, channels, updatedAt, updatedBy } = rule;
  const which = [...schedules, ...tags.map((tag) => t('rules.tag', { tag }))].join(', ');
  const edit = () => {
    onEdit({ name });
  };
  return (
    <DocumentRow
      name={name}
      about={[title, description]}
      onOpen={edit}
      changedAt={updatedAt}
      changedBy={updatedBy}
      menu={t('rules.menu', { name })}
      actions={[
        ['edit', t('edit')],
        ['delete', t('delete.open')],
      ]}
      onAction={(action) => {
        if (action === 'edit') edit();
        else onDelete(name);
      }}
    >
      <td>{on.map((kind) => t(`kind.${kind}`)).join(', ')}</td>
      <td>{which || <span className={styles.quiet}>{t('rules.all')}</span>}</td>
      <td>{channels.join(', ')}</td>
    </DocumentRow>
  );
}
