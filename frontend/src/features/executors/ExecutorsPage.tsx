import { Button } from '@mantine/core';
import { useThrottledCallback } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { executorsQuery, keys, meQuery } from '@/api/queries';
import { useLiveStatus, useTopic } from '@/live';
import { Command, Empty, ErrorNote, Page, PageHeader, Skeleton, Table } from '@/ui';
import { Adding } from './AddExecutor';
import { type Act, Ask } from './Ask';
import { ExecutorDetails } from './ExecutorDetails';
import { ExecutorRow } from './ExecutorRow';
import { type Executor, type Group, groups } from './executors';
import styles from './Executors.module.css';

/** The live topic says that something changed; so often it may be asked what, in milliseconds. */
const EVERY = 500;
const POLL = 5_000;
/** Load and last-heard times move without a change that is told. */
const CALM = 15_000;

/** The executors by group: who takes work, how much they have, and how to add one. */
export function ExecutorsPage() {
  const { t } = useTranslation(['executors', 'common']);
  const client = useQueryClient();
  const offline = useLiveStatus() === 'offline';
  const query = useQuery({ ...executorsQuery, refetchInterval: offline ? POLL : CALM });
  const { data: me } = useQuery(meQuery);
  const admin = me?.admin ?? false;
  const renew = useThrottledCallback(() => void client.invalidateQueries({ queryKey: keys.executors }), EVERY);
  useTopic({ topic: 'executors' }, renew);
  const [asked, setAsked] = useState<{ executor: Executor; act: Act }>();
  const [adding, setAdding] = useState(false);
  const { executor: shown } = useSearch({ strict: false });
  const navigate = useNavigate();
  const show = (executor?: string) => void navigate({ to: '.', search: { executor } });
  const all = groups(query.data?.items ?? []);
  const open = query.data?.items.find((e) => e.name === shown);
  return (
    <Page>
      <PageHeader title={t('common:nav.executors')}>
        <Button
          onClick={() => {
            setAdding(true);
          }}
        >
          {t('executors:add.open')}
        </Button>
      </PageHeader>
      {query.isError && (
        <div className={styles.error}>
          <ErrorNote error={query.error} retry={() => void query.refetch()} />
        </div>
      )}
      {query.isPending && <Skeleton rows={3} />}
      {query.isSuccess && all.length === 0 && (
        <NoExecutors
          onAdd={() => {
            setAdding(true);
          }}
        />
      )}
      {all.map((group) => (
        <GroupTable
          key={group.name}
          group={group}
          admin={admin}
          onAsk={(executor, act) => {
            setAsked({ executor, act });
          }}
          onOpen={show}
        />
      ))}
      {open && (
        <ExecutorDetails
          executor={open}
          onClose={() => {
            show();
          }}
        />
      )}
      {asked && (
        <Ask
          {...asked}
          onClose={() => {
            setAsked(undefined);
          }}
        />
      )}
      {adding && (
        <Adding
          admin={admin}
          onClose={() => {
            setAdding(false);
          }}
        />
      )}
    </Page>
  );
}

/** How the first executor comes: with the server, or from elsewhere. */
function NoExecutors({ onAdd }: { onAdd: () => void }) {
  const { t } = useTranslation('executors');
  return (
    <Empty title={t('none.title')}>
      <p>{t('none.detail')}</p>
      <div className={styles.first}>
        <p>{t('none.embedded')}</p>
        <Command text="hivego serve" />
        <p>{t('none.other')}</p>
        <div>
          <Button variant="filled" onClick={onAdd}>
            {t('add.open')}
          </Button>
        </div>
      </div>
    </Empty>
  );
}

interface GroupProps {
  group: Group;
  admin: boolean;
  onAsk: (executor: Executor, act: Act) => void;
  onOpen: (name: string) => void;
}

/** The executors of one group, with its load. */
function GroupTable({ group, admin, onAsk, onOpen }: GroupProps) {
  const { t } = useTranslation('executors');
  return (
    <section className={styles.group} aria-labelledby={`group-${group.name}`}>
      <h2 id={`group-${group.name}`}>
        {t('group', { name: group.name })}
        <small>{t('groupLoad', { running: group.running, slots: group.slots })}</small>
      </h2>
      <Table
        caption={t('group', { name: group.name })}
        className={styles.table}
        head={
          <tr>
            <th scope="col">{t('head.state')}</th>
            <th scope="col">{t('head.name')}</th>
            <th scope="col">{t('head.load')}</th>
            <th scope="col">{t('head.handlers')}</th>
            <th scope="col">{t('head.labels')}</th>
            <th>
              <span className="hg-visually-hidden">{t('head.actions')}</span>
            </th>
          </tr>
        }
      >
        <tbody>
          {group.executors.map((e) => (
            <ExecutorRow
              key={e.id}
              executor={e}
              admin={admin}
              onAsk={(act) => {
                onAsk(e, act);
              }}
              onOpen={() => {
                onOpen(e.name);
              }}
            />
          ))}
        </tbody>
      </Table>
    </section>
  );
}
