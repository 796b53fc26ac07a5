import { Button } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { BackfillOfBatches } from '@/features/backfill';
import { useRepair } from '@/features/repair';
import { Empty, ErrorNote, LoadMore, Page, PageHeader, Skeleton, Table, useShownZone, VirtualRows } from '@/ui';
import { BatchRow } from './BatchRow';
import { FilterChips, Filters, NeedsPerson, useFilterDescription } from './Filters';
import { MoreFilters } from './MoreFilters';
import { type BatchesSearch, checkBatchesSearch } from './search';
import { useBatches } from './useBatches';
import styles from './Batches.module.css';

const ROW_HEIGHT = 59;
const COLUMNS = 6;
/** A user who has scrolled at most this many pixels is at the top. */
const TOP_TOLERANCE = 40;
const atTop = () => (document.getElementById('content')?.scrollTop ?? 0) <= TOP_TOLERANCE;

/** The page of all batches, newest first, with filters in the address. */
export function BatchesPage() {
  const { t } = useTranslation(['batches', 'common']);
  const search = checkBatchesSearch(useSearch({ strict: false }));
  const navigate = useNavigate();
  const changeSearch = (next: BatchesSearch) =>
    void navigate({ to: '/batches', search: checkBatchesSearch({ ...next }), replace: true });
  const { rows, waiting, query, showWaiting } = useBatches(search, atTop, useShownZone());
  const [more, setMore] = useState(false);
  const repair = useRepair();
  const { open } = repair;
  const onResume = useCallback(
    (batch: number) => {
      open(batch, { action: 'resume' });
    },
    [open],
  );
  return (
    <Page>
      <PageHeader title={t('common:nav.batches')} note={<NeedsPerson search={search} onSearch={changeSearch} />} times>
        <Link to="/backfills">{t('batches:backfills')}</Link>
        <Filters search={search} onSearch={changeSearch} open={more} onOpen={setMore} />
      </PageHeader>
      {more && (
        <MoreFilters
          search={search}
          onSearch={changeSearch}
          onClose={() => {
            setMore(false);
          }}
        />
      )}
      <FilterChips search={search} onSearch={changeSearch} />
      {search.backfill !== undefined && (
        <BackfillOfBatches
          id={search.backfill}
          onClear={() => {
            changeSearch({ ...search, backfill: undefined });
          }}
        />
      )}
      {repair.node}
      {waiting.length > 0 && (
        <div className={styles.fresh}>
          <Button
            radius="xl"
            onClick={() => {
              showWaiting();
              document.getElementById('content')?.scrollTo({ top: 0 });
            }}
          >
            {t('batches:fresh', { count: waiting.length })}
          </Button>
        </div>
      )}
      <div role="status" className="hg-visually-hidden">
        {waiting.length > 0 ? t('batches:fresh', { count: waiting.length }) : ''}
      </div>
      {query.isError && (
        <div className={styles.error}>
          <ErrorNote error={query.error} retry={() => void query.refetch()} />
        </div>
      )}
      {query.isPending && <Skeleton rows={8} />}
      {query.isSuccess && rows.length === 0 && (
        <NoBatches
          search={search}
          onClear={() => {
            changeSearch({});
          }}
        />
      )}
      {rows.length > 0 && (
        <Table caption={t('common:nav.batches')} className={styles.table} head={<Head />}>
          <VirtualRows items={rows} height={ROW_HEIGHT} columns={COLUMNS} keyOf={(b) => b.id}>
            {(batch) => <BatchRow batch={batch} onResume={onResume} />}
          </VirtualRows>
        </Table>
      )}
      <LoadMore query={query} />
    </Page>
  );
}

/** The heads of the columns. */
function Head() {
  const { t } = useTranslation(['batches', 'common']);
  return (
    <tr>
      <th scope="col">{t('batches:head.state')}</th>
      <th scope="col">{t('batches:head.batch')}</th>
      <th scope="col">{t('batches:head.progress')}</th>
      <th scope="col">{t('batches:head.started')}</th>
      <th scope="col">{t('batches:head.took')}</th>
      <th>
        <span className="hg-visually-hidden">{t('batches:head.actions')}</span>
      </th>
    </tr>
  );
}

/** Why the list is empty: nothing has run, or no batch matches the filters, which are named. */
function NoBatches({ search, onClear }: { search: BatchesSearch; onClear: () => void }) {
  const { t } = useTranslation('batches');
  const description = useFilterDescription(search);
  if (Object.keys(search).length === 0)
    return (
      <Empty title={t('none')}>
        <p>{t('noneHint')}</p>
        <Link to="/">{t('toSchedules')}</Link>
      </Empty>
    );
  return (
    <Empty title={t('noMatch')}>
      <p>{description}</p>
      <Button onClick={onClear}>{t('clear')}</Button>
    </Empty>
  );
}
