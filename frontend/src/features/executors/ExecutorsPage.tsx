import { Button } from '@mantine/core';
import { useThrottledCallback } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { executorsQuery, keys, meQuery } from '@/api/queries';
import { useLiveStatus, useTopic } from '@/live';
import { Command, Empty, ErrorNote, Page, PageHeader, Skeleton, Table } from '@/ui';
import { Adding } from './Adding';
import { Ask, type Act } from './Ask';
import { type Executor, groups } from './executors';
import { ExecutorDetails } from './ExecutorDetails';
import { ExecutorRow } from './ExecutorRow';
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
        <Empty title={t('executors:none.title')}>
          <p>{t('executors:none.detail')}</p>
          <div className={styles.first}>
            <p>{t('executors:none.embedded')}</p>
            <Command text="hivego serve" />
            <p>{t('executors:none.other')}</p>
            <div>
              <Button
                variant="filled"
                onClick={() => {
                  setAdding(true);
                }}
              >
                {t('executors:add.open')}
              </Button>
            </div>
          </div>
        </Empty>
      )}
      {all.map((group) => (
        <section key={group.name} className={styles.group} aria-labelledby={`group-${group.name}`}>
          <h2 id={`group-${group.name}`}>
            {t('executors:group', { name: group.name })}
            <small>{t('executors:groupLoad', { running: group.running, slots: group.slots })}</small>
          </h2>
          <Table
            caption={t('executors:group', { name: group.name })}
            className={styles.table}
            head={
              <tr>
                <th scope="col">{t('executors:head.state')}</th>
                <th scope="col">{t('executors:head.name')}</th>
                <th scope="col">{t('executors:head.load')}</th>
                <th scope="col">{t('executors:head.handlers')}</th>
                <th scope="col">{t('executors:head.labels')}</th>
                <th>
                  <span className="hg-visually-hidden">{t('executors:head.actions')}</span>
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
                    setAsked({ executor: e, act });
                  }}
                  onOpen={() => {
                    show(e.name);
                  }}
                />
              ))}
            </tbody>
          </Table>
        </section>
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
