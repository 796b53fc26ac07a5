import { Button } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Empty, ErrorNote, NeedsServer, Page, PageHeader, ScheduleZone, Skeleton, useShownZone } from '@/ui';
import { Days } from '@/ui/Days';
import { TextFilter } from '@/ui/TextFilter';
import { ownZone } from '@/ui/zones';
import { useBackfillDialog } from '.';
import { type BackfillsSearch, checkBackfillsSearch } from './search';
import { Strip } from './Strip';
import { useBackfills } from './useBackfills';
import styles from './Backfill.module.css';

/** The backfills of a schedule, or of all schedules, newest first. */
export function BackfillsPage() {
  const search = checkBackfillsSearch(useSearch({ strict: false }));
  return (
    <ScheduleZone name={search.schedule}>
      <Backfills search={search} />
    </ScheduleZone>
  );
}

function Backfills({ search }: { search: BackfillsSearch }) {
  const { t } = useTranslation(['backfill', 'common']);
  const { schedule } = search;
  const zone = useShownZone();
  const { open, node } = useBackfillDialog();
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
          <NeedsServer>
            <Button
              variant="filled"
              onClick={() => {
                open(schedule);
              }}
            >
              {t('backfill:new')}
            </Button>
          </NeedsServer>
        )}
      </PageHeader>
      <Filters search={search} zone={zone} />
      {node}
      <List search={search} zone={zone} />
    </Page>
  );
}

/** The backfills that the filter selects, or why there are none. */
function List({ search, zone }: { search: BackfillsSearch; zone?: string }) {
  const { t } = useTranslation(['backfill', 'common']);
  const query = useBackfills(search, zone);
  const list = query.data?.items ?? [];
  const filtered = (search.by ?? search.from ?? search.to) !== undefined;
  return (
    <>
      {query.isError && <ErrorNote error={query.error} retry={() => void query.refetch()} />}
      {query.isPending && <Skeleton rows={3} />}
      {query.isSuccess && list.length === 0 && filtered && <Empty title={t('backfill:noMatch')} />}
      {query.isSuccess && list.length === 0 && !filtered && (
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
    </>
  );
}

/** The filters by who created a backfill, and by the days of its creation. */
function Filters({ search, zone }: { search: BackfillsSearch; zone?: string }) {
  const { t } = useTranslation('backfill');
  const navigate = useNavigate();
  const change = (part: BackfillsSearch) =>
    void navigate({ to: '/backfills', search: checkBackfillsSearch({ ...search, ...part }), replace: true });
  return (
    <div className={styles.filters} role="search">
      <TextFilter
        label={t('filter.by')}
        hint={t('filter.byHint')}
        value={search.by ?? ''}
        onApply={(text) => {
          change({ by: text || undefined });
        }}
      />
      <Days from={search.from} to={search.to} zone={zone ?? ownZone()} onChange={change} />
    </div>
  );
}
