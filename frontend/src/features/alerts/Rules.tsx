import { Button, Menu } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { usePollInterval } from '@/live';
import { Ago, Empty, ErrorNote, Row, RowMenu, Skeleton, Table } from '@/ui';
import { channelsQuery, type Rule, rulesQuery } from './calls';
import { DeleteDialog } from './DeleteDialog';
import { DocumentDialog } from './DocumentDialog';
import { newRule } from './templates';
import styles from './Alerts.module.css';

/** Poll interval in milliseconds: the live connection does not report rules. */
const POLL = 30_000;

/** The rules: the events that they report, of some schedules or of all, and where. */
export function Rules() {
  const { t } = useTranslation('alerts');
  const query = useQuery({ ...rulesQuery, refetchInterval: usePollInterval(POLL) });
  const channels = useQuery(channelsQuery);
  const [edited, setEdited] = useState<{ name?: string }>();
  const [deleted, setDeleted] = useState<string>();
  const items = query.data ?? [];
  const create = (
    <Button
      variant="filled"
      disabled={channels.data?.length === 0}
      onClick={() => {
        setEdited({});
      }}
    >
      {t('rules.create')}
    </Button>
  );
  return (
    <>
      <div className={styles.tools}>{items.length > 0 && create}</div>
      {query.isError && <ErrorNote error={query.error} retry={() => void query.refetch()} />}
      {query.isPending && <Skeleton rows={3} />}
      {query.isSuccess && items.length === 0 && (
        <Empty title={t('rules.none')}>
          <p className={styles.noneText}>{t(channels.data?.length === 0 ? 'rules.noChannel' : 'rules.noneDetail')}</p>
          {create}
        </Empty>
      )}
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
          template={newRule((channels.data ?? []).map(({ name }) => name))}
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
  const about = [title, description].filter(Boolean).join(' · ');
  const which = [...schedules, ...tags.map((tag) => t('rules.tag', { tag }))].join(', ');
  return (
    <Row className={styles.document}>
      <th scope="row" className={styles.name}>
        <button
          type="button"
          className={styles.open}
          onClick={() => {
            onEdit({ name });
          }}
        >
          <bdi>{name}</bdi>
        </button>
        {about && <small title={about}>{about}</small>}
      </th>
      <td className={styles.first}>{on.map((kind) => t(`kind.${kind}`)).join(', ')}</td>
      <td className={styles.second}>{which || <span className={styles.quiet}>{t('rules.all')}</span>}</td>
      <td className={styles.third}>{channels.join(', ')}</td>
      <td className={styles.changed}>
        <Ago at={updatedAt} />
        <small>{updatedBy}</small>
      </td>
      <td className={styles.actions}>
        <RowMenu label={t('rules.menu', { name })} width={200}>
          <Menu.Item
            onClick={() => {
              onEdit({ name });
            }}
          >
            {t('edit')}
          </Menu.Item>
          <Menu.Item
            onClick={() => {
              onDelete(name);
            }}
          >
            {t('delete.open')}
          </Menu.Item>
        </RowMenu>
      </td>
    </Row>
  );
}
