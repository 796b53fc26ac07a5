import { Button } from '@mantine/core';
import { useThrottledCallback } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { executorsQuery, keys, meQuery, renewShown } from '@/api/queries';
import { useCommands } from '@/features/find';
import { usePollInterval, useTopic } from '@/live';
import {
  Command,
  Dialog,
  Empty,
  ErrorNote,
  NeedsServer,
  Page,
  PageHeader,
  Skeleton,
  Table,
  toast,
  useCommandGuard,
} from '@/ui';
import { api, data } from '@/api/client';
import { AddExecutor } from './AddExecutor';
import { ExecutorDetails } from './ExecutorDetails';
import { ExecutorRow } from './ExecutorRow';
import { GroupRoute } from './GroupRoute';
import { type ExecutorAction, type Executor, type Group, groupExecutors } from './executors';
import { Storage } from './Storage';
import styles from './Executors.module.css';

/** Minimum milliseconds between two requests after changes of the live topic. */
const MIN_INTERVAL = 500;
/** Poll interval in milliseconds with the live connection, which does not report the load and the last contact. */
const LIVE_POLL = 15_000;

/** The page of the executors: their state and load by group, and a button to add one. */
export function ExecutorsPage() {
  const { t } = useTranslation(['executors', 'common']);
  const client = useQueryClient();
  const refetchInterval = usePollInterval(LIVE_POLL);
  const query = useQuery({ ...executorsQuery, refetchInterval });
  const { data: me } = useQuery(meQuery);
  const admin = me?.admin ?? false;
  const renew = useThrottledCallback(() => {
    renewShown(client, { queryKey: keys.executors });
  }, MIN_INTERVAL);
  useTopic({ topic: 'executors' }, renew);
  const [confirming, setConfirming] = useState<{ executor: Executor; action: ExecutorAction }>();
  const [adding, setAdding] = useState(false);
  const { executor: openName } = useSearch({ strict: false });
  const navigate = useNavigate();
  const openDetails = (executor?: string) => void navigate({ to: '.', search: { executor } });
  const mayStart = useCommandGuard();
  useCommands({
    commands: [
      {
        id: 'add',
        label: t('executors:add.open'),
        words: ['add'],
        run: () => {
          if (mayStart()) setAdding(true);
        },
      },
    ],
  });
  const executorGroups = groupExecutors(query.data?.items ?? []);
  const open = query.data?.items.find((e) => e.name === openName);
  return (
    <Page>
      <PageHeader times title={t('common:nav.executors')}>
        <Link to="/secrets">{t('executors:secrets')}</Link>
        <Link to="/settings">{t('executors:settings')}</Link>
        <NeedsServer>
          <Button
            onClick={() => {
              setAdding(true);
            }}
          >
            {t('executors:add.open')}
          </Button>
        </NeedsServer>
      </PageHeader>
      {query.isError && (
        <div className={styles.error}>
          <ErrorNote error={query.error} retry={() => void query.refetch()} />
        </div>
      )}
      {query.isPending && <Skeleton rows={3} />}
      {query.isSuccess && executorGroups.length === 0 && (
        <NoExecutors
          onAdd={() => {
            setAdding(true);
          }}
        />
      )}
      {executorGroups.map((group) => (
        <GroupTable
          key={group.name}
          group={group}
          admin={admin}
          onAction={(executor, action) => {
            setConfirming({ executor, action });
          }}
          onOpen={openDetails}
        />
      ))}
      <Storage />
      {open && (
        <ExecutorDetails
          executor={open}
          onClose={() => {
            openDetails();
          }}
        />
      )}
      {confirming && (
        <ConfirmDialog
          {...confirming}
          onClose={() => {
            setConfirming(undefined);
          }}
        />
      )}
      {adding && (
        <AddExecutor
          admin={admin}
          onClose={() => {
            setAdding(false);
          }}
        />
      )}
    </Page>
  );
}

/** How to start the first executor: inside the server, or as a separate program. */
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
          <NeedsServer>
            <Button variant="filled" onClick={onAdd}>
              {t('add.open')}
            </Button>
          </NeedsServer>
        </div>
      </div>
    </Empty>
  );
}

interface GroupProps {
  group: Group;
  admin: boolean;
  onAction: (executor: Executor, action: ExecutorAction) => void;
  onOpen: (name: string) => void;
}

/** The executors of one group, with its load. */
function GroupTable({ group, admin, onAction, onOpen }: GroupProps) {
  const { t } = useTranslation('executors');
  return (
    <section className={styles.group} aria-labelledby={`group-${group.name}`}>
      <h2 id={`group-${group.name}`}>
        {t('group', { name: group.name })}
        <small>{t('groupLoad', { running: group.running, slots: group.slots })}</small>
      </h2>
      <GroupRoute group={group.name} admin={admin} />
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
              onAction={(action) => {
                onAction(e, action);
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

/** Explains the effect of an action on an executor, and asks for a confirmation. */
function ConfirmDialog({
  executor,
  action,
  onClose,
}: {
  executor: Executor;
  action: ExecutorAction;
  onClose: () => void;
}) {
  const { t } = useTranslation(['executors', 'common']);
  const client = useQueryClient();
  const { name, running } = executor;
  const path = { params: { path: { name } } };
  const change = useMutation({
    mutationFn: async () => {
      if (action === 'forget') await api.DELETE('/api/v1/executors/{name}', path);
      else if (action === 'drain' || action === 'undrain')
        await data(api.PUT('/api/v1/executors/{name}/drain', { ...path, body: { drained: action === 'drain' } }));
      else
        await data(api.PUT('/api/v1/executors/{name}/offline', { ...path, body: { offline: action === 'offline' } }));
    },
    onSuccess: () => {
      toast(t(`executors:toast.${action}`, { name }));
      onClose();
    },
    onSettled: () => client.invalidateQueries({ queryKey: keys.executors }),
  });
  return (
    <Dialog
      opened
      onClose={onClose}
      title={t(`executors:ask.${action}.title`, { name })}
      footer={
        <>
          <Button onClick={onClose}>{t('common:cancel')}</Button>
          <Button
            variant="filled"
            loading={change.isPending}
            onClick={() => {
              change.mutate();
            }}
          >
            {t(`executors:ask.${action}.go`)}
          </Button>
        </>
      }
    >
      <p>
        {t(`executors:ask.${action}.text`)} {running > 0 && t('executors:ask.running', { count: running })}
      </p>
      {change.isError && <ErrorNote error={change.error} />}
    </Dialog>
  );
}
