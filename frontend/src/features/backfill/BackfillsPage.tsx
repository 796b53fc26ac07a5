import { Button } from '@mantine/core';
import { Link, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Empty, ErrorNote, Page, PageHeader, ScheduleZone, Skeleton } from '@/ui';
import { useBackfillDialog } from '.';
import { checkBackfillsSearch } from './search';
import { Strip } from './Strip';
import { useBackfills } from './useBackfills';
import styles from './Backfill.module.css';

/** The backfills of a schedule, or of all schedules, newest first. */
export function BackfillsPage() {
  const { schedule } = checkBackfillsSearch(useSearch({ strict: false }));
  return (
    <ScheduleZone name={schedule}>
      <Backfills schedule={schedule} />
    </ScheduleZone>
  );
}

function Backfills({ schedule }: { schedule?: string }) {
  const { t } = useTranslation(['backfill', 'common']);
  const query = useBackfills(schedule);
  const { open, node } = useBackfillDialog();
  const list = query.data?.items ?? [];
  return (
    <Page>
      <PageHeader
        times
        title={schedule === undefined ? t('backfill:title') : t('backfill:titleOf', { schedule })}
        above={
          <nav aria-label={t('backfill:crumbs')}>
            <Link to="/">{t('common:nav.schedules')}</Link>
            {schedule !== undefined && (
              <>
                {' / '}
                <Link to="/schedules/$name" params={{ name: schedule }} search={{}}>
                  {schedule}
                </Link>
              </>
            )}
          </nav>
        }
      >
        {schedule === undefined ? (
          <Link to="/batches" search={{ kind: 'backfill' }}>
            {t('backfill:allBatches')}
          </Link>
        ) : (
          <Button
            variant="filled"
            onClick={() => {
              open(schedule);
            }}
          >
            {t('backfill:new')}
          </Button>
        )}
      </PageHeader>
      {node}
      {query.isError && <ErrorNote error={query.error} retry={() => void query.refetch()} />}
      {query.isPending && <Skeleton rows={3} />}
      {query.isSuccess && list.length === 0 && (
        <Empty title={t('backfill:none')}>
          <p>{t('backfill:noneHint')}</p>
          <Link to="/">{t('common:nav.schedules')}</Link>
        </Empty>
      )}
      <div className={styles.list}>
        {list.map((b) => (
          <Strip key={b.id} backfill={b} />
        ))}
      </div>
    </Page>
  );
}
