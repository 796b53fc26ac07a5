import { useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { Empty, ErrorNote, Page, PageHeader, Skeleton, useClock, useShownZone } from '@/ui';
import { ownZone } from '@/ui/zones';
import { BatchCharts } from './BatchCharts';
import { BatchTable } from './BatchTable';
import { ExecutorReport } from './ExecutorReport';
import { Filters } from './Filters';
import { percent } from './format';
import { allOf, shareOf } from './groups';
import { checkReportsSearch, FILTERS, type ReportsSearch, selectsBatches } from './search';
import { isEmpty } from './series';
import { TaskTables } from './TaskTables';
import { queryOf, useReports } from './useReports';
import styles from './Reports.module.css';

/** Milliseconds between two looks at the clock: the days of an open page follow it. */
const TODAY_INTERVAL = 60_000;

/** How batches, tasks and executors did over many days. */
export function ReportsPage() {
  const { t } = useTranslation(['reports', 'common']);
  const search = checkReportsSearch(useSearch({ strict: false }));
  const navigate = useNavigate();
  const zone = useShownZone() ?? ownZone();
  const query = queryOf(search, useClock(TODAY_INTERVAL), zone);
  const { batches, tasks, executors } = useReports(query);
  const change = (part: ReportsSearch) =>
    void navigate({ to: '/reports', search: checkReportsSearch({ ...search, ...part }), replace: true });
  const filtered = FILTERS.some((name) => search[name] !== undefined);
  const report = batches.data;
  return (
    <Page>
      <PageHeader times title={t('common:nav.reports')} note={t('reports:note', { from: query.from, to: query.to })} />
      <Filters search={search} query={query} onChange={change} />
      {selectsBatches(search) && <p className={styles.hint}>{t('reports:withoutDeleted')}</p>}
      {batches.isError && <ErrorNote error={batches.error} retry={() => void batches.refetch()} />}
      {batches.isPending && !batches.isError && <Skeleton />}
      {report && isEmpty(report) && (
        <Empty title={t('reports:none.title')}>
          <p>{filtered ? t('reports:none.filtered') : t('reports:none.detail')}</p>
        </Empty>
      )}
      {report && !isEmpty(report) && (
        <div aria-busy={batches.isPlaceholderData} className={styles.parts}>
          <Totals report={report} />
          <BatchCharts report={report} search={search} zone={query.zone} />
          <BatchTable report={report} search={search} query={query} onChange={change} />
          <TaskTables query={tasks} range={query} />
          <ExecutorReport query={executors} zone={query.zone} />
        </div>
      )}
    </Page>
  );
}

/** The numbers of all days. */
function Totals({ report }: { report: Schemas['BatchReport'] }) {
  const { t, i18n } = useTranslation('reports');
  const { total, since, more } = report;
  const share = shareOf(total);
  const number = (n: number) => n.toLocaleString(i18n.language);
  const figures = [
    {
      key: 'batches',
      value: number(allOf(total)),
      note: total.deleted ? t('total.deleted', { n: number(total.deleted) }) : '',
    },
    { key: 'success', value: share === undefined ? '–' : percent(share, i18n.language), note: t('total.successNote') },
    { key: 'failed', value: number(total.failed ?? 0), note: '' },
    { key: 'late', value: number(total.late ?? 0), note: t('total.lateNote') },
  ] as const;
  return (
    <>
      <dl className={styles.totals}>
        {figures.map((f) => (
          <div key={f.key}>
            <dt>{t(`total.${f.key}`)}</dt>
            <dd>{f.value}</dd>
            {f.note && <dd className={styles.figureNote}>{f.note}</dd>}
          </div>
        ))}
      </dl>
      {since !== undefined && <p className={styles.hint}>{t('since', { day: since })}</p>}
      {more !== undefined && <p className={styles.hint}>{t('more', { n: more })}</p>}
    </>
  );
}
