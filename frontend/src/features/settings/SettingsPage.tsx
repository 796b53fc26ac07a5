import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Limit, limitsQuery } from '@/api/limits';
import { meQuery } from '@/api/queries';
import { usePollInterval } from '@/live';
import { BeforeList, DocumentRow, NeedsServer, Page, PageHeader, Table } from '@/ui';
import { LimitDialog } from './LimitDialog';
import { RemoveLimit } from './RemoveLimit';
import styles from './Settings.module.css';

/** Poll interval in milliseconds: the live connection does not report what counts for limits. */
const POLL = 5_000;

/** The actions on a limit, in the order of its menu. Each has a dialog. */
const ACTIONS = ['set', 'remove'] as const;
type Section = 'limits' | 'pools';
type Open = { action: 'create'; section: Section } | { action: (typeof ACTIONS)[number]; limit: Limit };

/** The page of what bounds the work of the server: limits and pools. */
export function SettingsPage() {
  const { t } = useTranslation(['settings', 'common']);
  const [open, setOpen] = useState<Open>();
  return (
    <Page>
      <PageHeader times title={t('settings:title')} above={<Link to="/executors">{t('common:nav.executors')}</Link>} />
      <LimitSection section="limits" onOpen={setOpen} />
      <LimitSection section="pools" onOpen={setOpen} />
      {open && (
        <OpenDialog
          open={open}
          onClose={() => {
            setOpen(undefined);
          }}
        />
      )}
    </Page>
  );
}

function OpenDialog({ open, onClose }: { open: Open; onClose: () => void }) {
  switch (open.action) {
    case 'create':
      return <LimitDialog isPool={open.section === 'pools'} onClose={onClose} />;
    case 'set':
      return <LimitDialog limit={open.limit} isPool={open.limit.kind === 'pool'} onClose={onClose} />;
    case 'remove':
      return <RemoveLimit limit={open.limit} onClose={onClose} />;
  }
}

interface SectionProps {
  section: Section;
  onOpen: (open: Open) => void;
}

function LimitSection({ section, onOpen }: SectionProps) {
  const { t } = useTranslation('settings');
  const query = useQuery({ ...limitsQuery, refetchInterval: usePollInterval(POLL) });
  const { data: me } = useQuery(meQuery);
  const admin = me?.admin ?? false;
  const items = (query.data ?? []).filter((limit) => (limit.kind === 'pool') === (section === 'pools'));
  const create = admin && (
    <NeedsServer>
      <Button
        onClick={() => {
          onOpen({ action: 'create', section });
        }}
      >
        {t(`${section}.create`)}
      </Button>
    </NeedsServer>
  );
  return (
    <section className={styles.section} aria-labelledby={section}>
      <h2 id={section}>{t(`${section}.title`)}</h2>
      <p className={styles.about}>{t(`${section}.about`)}</p>
      <BeforeList
        query={query}
        empty={items.length === 0}
        note={me && !me.admin && t('adminOnly')}
        create={create}
        none={t(`${section}.none`)}
        detail={t(`${section}.noneDetail`)}
      />
      {items.length > 0 && <LimitTable limits={items} section={section} admin={admin} onOpen={onOpen} />}
    </section>
  );
}

interface TableProps extends SectionProps {
  limits: readonly Limit[];
  admin: boolean;
}

function LimitTable({ limits, section, admin, onOpen }: TableProps) {
  const { t } = useTranslation('settings');
  return (
    <Table
      caption={t(`${section}.title`)}
      head={
        <tr>
          <th scope="col">{t(`${section}.of`)}</th>
          <th scope="col">{t(`${section}.used`)}</th>
          <th scope="col">{t('head.reason')}</th>
          <th scope="col">{t('head.changed')}</th>
          <th>
            <span className="hg-visually-hidden">{t('head.actions')}</span>
          </th>
        </tr>
      }
    >
      <tbody>
        {limits.map((limit) => {
          const name = t(`name.${limit.kind}`, { name: limit.name });
          return (
            <DocumentRow
              key={`${limit.kind} ${limit.name}`}
              name={name}
              changedAt={limit.setAt}
              changedBy={limit.setBy}
              menu={t('menu', { name })}
              actions={admin ? ACTIONS.map((action) => [action, t(`action.${action}`)] as const) : []}
              onAction={(action) => {
                onOpen({ action, limit });
              }}
            >
              <td className={styles.used} data-full={limit.used >= limit.most || undefined}>
                {limit.most === 0
                  ? t(section === 'pools' ? 'closed' : 'paused', { used: limit.used })
                  : t('usedOf', { used: limit.used, most: limit.most })}
              </td>
              <td>{limit.reason}</td>
            </DocumentRow>
          );
        })}
      </tbody>
    </Table>
  );
}
