import { SegmentedControl } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { ErrorNote, exact, Skeleton, SortTh, useSpan } from '@/ui';
import { saveCsv } from './csv';
import { percent } from './format';
import { sortedBy } from './groups';
import { gridSearch } from './links';
import { ScrollRegion } from './ScrollRegion';
import type { ReportQuery } from './useReports';
import styles from './Reports.module.css';

type Task = Schemas['ReportTask'];
const LISTS = ['slowest', 'flakiest', 'waitedFor'] as const;
type List = (typeof LISTS)[number];

const VALUES = {
  task: (row: Task) => `${row.schedule} ${row.job} ${row.task}`,
  runs: (row: Task) => row.runs,
  median: (row: Task) => row.took.median,
  p95: (row: Task) => row.took.p95,
  retried: (row: Task) => (row.runs > 0 ? (row.retried ?? 0) / row.runs : undefined),
  failed: (row: Task) => row.failed ?? 0,
  waitedFor: (row: Task) => row.waitedForSeconds,
} as const;
type Column = keyof typeof VALUES;
const COLUMNS = Object.keys(VALUES) as Column[];

interface Props {
  query: UseQueryResult<Schemas['TaskReport']>;
  range: ReportQuery;
}

/** The slowest tasks, the flakiest ones, and those that others wait for most. */
export function TaskTables({ query, range }: Props) {
  const { t } = useTranslation('reports');
  const [list, setList] = useState<List>('slowest');
  const [sort, setSort] = useState<{ by?: Column; descending: boolean }>({ descending: false });
  const report = query.data;
  const value = sort.by && VALUES[sort.by];
  const rows = value ? sortedBy(report?.[list] ?? [], value, sort.descending) : (report?.[list] ?? []);
  const save = () => {
    const head = [t('by.schedule'), t('column.job'), ...COLUMNS.map((c) => t(`column.${c}`))];
    saveCsv(`tasks-${list}`, [
      head,
      ...rows.map((row) => [row.schedule, row.job, row.task, ...COLUMNS.slice(1).map((c) => VALUES[c](row))]),
    ]);
  };
  return (
    <section className={styles.part} aria-labelledby="report-tasks">
      <div className={styles.partHead}>
        <h2 id="report-tasks">{t('tasks')}</h2>
        <SegmentedControl
          size="xs"
          aria-label={t('tasks')}
          data={LISTS.map((v) => ({ value: v, label: t(`lists.${v}`) }))}
          value={list}
          onChange={(v) => {
            setSort({ descending: false });
            setList(LISTS.find((l) => l === v) ?? 'slowest');
          }}
        />
        <button type="button" className={styles.link} onClick={save} disabled={rows.length === 0}>
          {t('csv')}
        </button>
      </div>
      {query.isError && <ErrorNote error={query.error} retry={() => void query.refetch()} />}
      {query.isPending && !query.isError && <Skeleton rows={3} />}
      {report && <Sample report={report} zone={range.zone} />}
      {report && rows.length === 0 && <p className={styles.hint}>{t(`noTasks.${list}`)}</p>}
      {rows.length > 0 && (
        <ScrollRegion label={t(`lists.${list}`)}>
          <table className={styles.rows}>
            <caption className="hg-visually-hidden">{t(`lists.${list}`)}</caption>
            <thead>
              <tr>
                {COLUMNS.map((c) => (
                  <SortTh
                    key={c}
                    by={c}
                    sort={sort.by}
                    descending={sort.descending}
                    onSort={(by, descending) => {
                      setSort({ by, descending });
                    }}
                  >
                    {t(`column.${c}`)}
                  </SortTh>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <TaskLine key={VALUES.task(row)} row={row} range={range} />
              ))}
            </tbody>
          </table>
        </ScrollRegion>
      )}
    </section>
  );
}

/** Says how many batches the report is about, and since when, if it leaves some out. */
function Sample({ report, zone }: { report: Schemas['TaskReport']; zone: string }) {
  const { t, i18n } = useTranslation('reports');
  if (report.complete || report.sampleSince === undefined) return null;
  return (
    <p className={styles.hint}>
      {t('sample', {
        n: report.batches.toLocaleString(i18n.language),
        since: exact(Date.parse(report.sampleSince), { zone }).slice(0, 16),
      })}
    </p>
  );
}

function TaskLine({ row, range }: { row: Task; range: ReportQuery }) {
  const { i18n } = useTranslation('reports');
  const span = useSpan();
  const seconds = (v: number | undefined) => (v === undefined ? '–' : span(v * 1000));
  const retried = VALUES.retried(row);
  return (
    <tr>
      <th scope="row">
        <Link
          to="/schedules/$name/runs"
          params={{ name: row.schedule }}
          search={{ ...gridSearch(range), jobs: row.job }}
        >
          {row.task}
        </Link>{' '}
        <small>
          {row.schedule} · {row.job}
        </small>
      </th>
      <td>{row.runs.toLocaleString(i18n.language)}</td>
      <td>{seconds(row.took.median)}</td>
      <td>{seconds(row.took.p95)}</td>
      <td>{retried === undefined ? '–' : percent(retried, i18n.language)}</td>
      <td data-bad={(row.failed ?? 0) > 0 || undefined}>{(row.failed ?? 0).toLocaleString(i18n.language)}</td>
      <td>{seconds(row.waitedForSeconds)}</td>
    </tr>
  );
}
