import { Button, Menu } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { calendarsQuery } from '@/api/queries';
import { useCommands } from '@/features/find';
import { usePollInterval } from '@/live';
import {
  Ago,
  Empty,
  ErrorNote,
  NeedsServer,
  Page,
  PageHeader,
  Row,
  RowMenu,
  Skeleton,
  Table,
  useCommandGuard,
} from '@/ui';
import type { CalendarSummary } from './calls';
import { DeleteCalendar } from './DeleteCalendar';
import { NewCalendar } from './NewCalendar';
import { useDayTexts } from './texts';
import { UsedBy } from './UsedBy';
import styles from './Calendars.module.css';

/** Poll interval in milliseconds: the live connection does not report changes of calendars. */
const POLL = 30_000;

/** The list of the calendars, with buttons for a new one. */
export function CalendarsPage() {
  const { t } = useTranslation(['calendars', 'common']);
  const query = useQuery({ ...calendarsQuery, refetchInterval: usePollInterval(POLL) });
  const [creating, setCreating] = useState<'empty' | 'file'>();
  const [deleting, setDeleting] = useState<CalendarSummary>();
  const mayStart = useCommandGuard();
  useCommands({
    commands: (['empty', 'file'] as const).map((from) => ({
      id: from,
      label: t(from === 'empty' ? 'calendars:create.open' : 'calendars:create.import'),
      words: ['new'],
      run: () => {
        if (mayStart()) setCreating(from);
      },
    })),
  });
  const items = query.data?.items ?? [];
  const buttons = <NewButtons onCreate={setCreating} />;
  const none = query.isSuccess && items.length === 0;
  return (
    <Page>
      <PageHeader times title={t('common:nav.calendars')}>
        {!none && buttons}
      </PageHeader>
      {query.isError && <ErrorNote error={query.error} retry={() => void query.refetch()} />}
      {query.isPending && <Skeleton rows={3} />}
      {none && (
        <Empty title={t('calendars:none.title')}>
          <p className={styles.noneText}>{t('calendars:none.detail')}</p>
          <div className={styles.noneButtons}>{buttons}</div>
        </Empty>
      )}
      {items.length > 0 && (
        <Table
          caption={t('common:nav.calendars')}
          head={
            <tr>
              <th scope="col">{t('calendars:head.name')}</th>
              <th scope="col">{t('calendars:head.workdays')}</th>
              <th scope="col">{t('calendars:head.known')}</th>
              <th scope="col">{t('calendars:head.usedBy')}</th>
              <th scope="col">{t('calendars:head.changed')}</th>
              <th>
                <span className="hg-visually-hidden">{t('calendars:head.actions')}</span>
              </th>
            </tr>
          }
        >
          <tbody>
            {items.map((calendar) => (
              <CalendarRow
                key={calendar.name}
                calendar={calendar}
                onDelete={() => {
                  setDeleting(calendar);
                }}
              />
            ))}
          </tbody>
        </Table>
      )}
      {creating && (
        <NewCalendar
          names={items.map(({ name }) => name)}
          fromFile={creating === 'file'}
          onClose={() => {
            setCreating(undefined);
          }}
        />
      )}
      {deleting && (
        <DeleteCalendar
          calendar={deleting}
          onClose={() => {
            setDeleting(undefined);
          }}
        />
      )}
    </Page>
  );
}

function CalendarRow({ calendar, onDelete }: { calendar: CalendarSummary; onDelete: () => void }) {
  const { t } = useTranslation('calendars');
  const texts = useDayTexts();
  const { name, title, description, weekend, lastYear, usedBy, updatedAt, updatedBy } = calendar;
  const about = [title, description].filter(Boolean).join(' · ');
  return (
    <Row className={styles.row}>
      <th scope="row" className={styles.name}>
        <Link to="/calendars/$name" params={{ name }} search={{}}>
          <bdi>{name}</bdi>
        </Link>
        {about && <small title={about}>{about}</small>}
      </th>
      <td className={styles.rule}>{texts.workdays(weekend)}</td>
      <td className={styles.known}>
        <Known lastYear={lastYear} />
      </td>
      <td className={styles.used}>
        <UsedBy schedules={usedBy} most={2} />
      </td>
      <td className={styles.changed}>
        <Ago at={updatedAt} />
        <small>{updatedBy}</small>
      </td>
      <td className={styles.actions}>
        <RowMenu label={t('menu.label', { name })} width={220}>
          <Menu.Item
            component="a"
            href={`/api/v1/calendars/${encodeURIComponent(name)}/export`}
            download={`${name}.yaml`}
          >
            {t('menu.export')}
          </Menu.Item>
          <NeedsServer>
            <Menu.Item onClick={onDelete}>{t('menu.delete')}</Menu.Item>
          </NeedsServer>
        </RowMenu>
      </td>
    </Row>
  );
}

/** The buttons for a new calendar. */
function NewButtons({ onCreate }: { onCreate: (from: 'empty' | 'file') => void }) {
  const { t } = useTranslation(['calendars', 'common']);
  return (
    <>
      <NeedsServer>
        <Button
          onClick={() => {
            onCreate('file');
          }}
        >
          {t('calendars:create.import')}
        </Button>
      </NeedsServer>
      <NeedsServer>
        <Button
          variant="filled"
          onClick={() => {
            onCreate('empty');
          }}
        >
          {t('calendars:create.open')}
        </Button>
      </NeedsServer>
    </>
  );
}

/** The last year with entries. A year that has passed is a warning: from then on only the weekend decides. */
function Known({ lastYear }: { lastYear?: number }) {
  const { t } = useTranslation('calendars');
  if (lastYear === undefined) return <span className={styles.quiet}>{t('known.never')}</span>;
  const past = lastYear < new Date().getFullYear();
  return (
    <>
      {t('known.until', { year: lastYear })}
      {past && <small className={styles.warning}>{t('known.past')}</small>}
    </>
  );
}
