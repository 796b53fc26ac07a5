import { SegmentedControl } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { SortTh, useSpan } from '@/ui';
import { saveCsv } from './csv';
import { change as changeText, percent } from './format';
import { type GroupRow, groupRows, sortedBy } from './groups';
import { gridSearch, listSearch } from './links';
import { ScrollRegion } from './ScrollRegion';
import { type ReportsSearch, selectsBatches } from './search';
import type { ReportQuery } from './useReports';
import styles from './Reports.module.css';

interface Props {
  report: Schemas['BatchReport'];
  search: ReportsSearch;
  query: ReportQuery;
  onChange: (part: ReportsSearch) => void;
}

const COLUMNS = ['name', 'batches', 'share', 'failed', 'late', 'median', 'p95', 'trend', 'wait'] as const;
type Column = (typeof COLUMNS)[number];
const GROUPED: readonly Column[] = ['name', 'batches', 'share', 'failed', 'late'];
const SHOWN = 25;

/** The batches by schedule, tag or owner. */
export function BatchTable({ report, search, query, onChange }: Props) {
  const { t } = useTranslation('reports');
  const by = search.rows ?? 'schedule';
  const [sort, setSort] = useState<{ by?: Column; descending: boolean }>({ descending: false });
  const [all, setAll] = useState(false);
  const columns = by === 'schedule' ? COLUMNS : GROUPED;
  const rows = groupRows(report.schedules, by);
  const key = sort.by;
  const sorted = key === undefined ? rows : sortedBy(rows, (row) => row[key], sort.descending);
  const shown = all ? sorted : sorted.slice(0, SHOWN);
  const save = () => {
    const head = columns.map((c) => (c === 'name' ? t(`by.${by}`) : t(`column.${c}`)));
    saveCsv(`batches-by-${by}`, [head, ...sorted.map((row) => columns.map((c) => row[c]))]);
  };
  return (
    <section className={styles.part} aria-labelledby="report-groups">
      <div className={styles.partHead}>
        <h2 id="report-groups">{t(`groups.${by}`)}</h2>
        <SegmentedControl
          size="xs"
          aria-label={t('groupBy')}
          data={(['schedule', 'tag', 'owner'] as const).map((value) => ({ value, label: t(`by.${value}`) }))}
          value={by}
          onChange={(v) => {
            setSort({ descending: false });
            onChange({ rows: v === 'tag' || v === 'owner' ? v : undefined });
          }}
        />
        <button type="button" className={styles.link} onClick={save}>
          {t('csv')}
        </button>
      </div>
      <ScrollRegion label={t(`groups.${by}`)}>
        <table className={styles.rows}>
          <caption className="hg-visually-hidden">{t(`groups.${by}`)}</caption>
          <thead>
            <tr>
              {columns.map((c) => (
                <SortTh
                  key={c}
                  by={c}
                  sort={sort.by}
                  descending={sort.descending}
                  onSort={(next, descending) => {
                    setSort({ by: next, descending });
                  }}
                >
                  {c === 'name' ? t(`by.${by}`) : t(`column.${c}`)}
                </SortTh>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <GroupLine key={row.name} row={row} by={by} query={query} onChange={onChange} />
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      {by !== 'schedule' && <p className={styles.hint}>{t('several')}</p>}
      {sorted.length > shown.length && (
        <button
          type="button"
          className={styles.link}
          onClick={() => {
            setAll(true);
          }}
        >
          {t('showAll', { n: sorted.length })}
        </button>
      )}
    </section>
  );
}

interface LineProps {
  row: GroupRow;
  by: 'schedule' | 'tag' | 'owner';
  query: ReportQuery;
  onChange: (part: ReportsSearch) => void;
}

function GroupLine({ row, by, query, onChange }: LineProps) {
  const { t, i18n } = useTranslation('reports');
  const span = useSpan();
  const seconds = (v: number | undefined) => (v === undefined ? '–' : span(v * 1000));
  const list = (value: number, failed = false) => {
    const text = value.toLocaleString(i18n.language);
    return by === 'schedule' && row.name !== '' && value > 0 ? (
      <ScheduleLink name={row.name} query={query} failed={failed}>
        {text}
      </ScheduleLink>
    ) : (
      text
    );
  };
  return (
    <tr>
      <th scope="row">
        <GroupName row={row} by={by} query={query} onChange={onChange} />
      </th>
      <td>{list(row.batches)}</td>
      <td>{row.share === undefined ? '–' : percent(row.share, i18n.language)}</td>
      <td data-bad={row.failed > 0 || undefined}>{list(row.failed, true)}</td>
      <td>{row.late.toLocaleString(i18n.language)}</td>
      {by === 'schedule' && (
        <>
          <td>{seconds(row.median)}</td>
          <td>{seconds(row.p95)}</td>
          <td title={t('trendTitle')}>{row.trend === undefined ? '–' : changeText(row.trend, i18n.language)}</td>
          <td>{seconds(row.wait)}</td>
        </>
      )}
    </tr>
  );
}

/** Leads to the batches of a schedule that the report counts. */
function ScheduleLink({
  name,
  query,
  failed = false,
  children,
}: {
  name: string;
  query: ReportQuery;
  failed?: boolean;
  children: string;
}) {
  if (selectsBatches(query))
    return (
      <Link
        to="/batches"
        search={listSearch({ ...query, schedule: name }, query.from, query.to, failed ? 'failed' : undefined)}
      >
        {children}
      </Link>
    );
  return (
    <Link to="/schedules/$name/runs" params={{ name }} search={gridSearch(query, failed)}>
      {children}
    </Link>
  );
}

function GroupName({ row, by, query, onChange }: LineProps) {
  const { t } = useTranslation('reports');
  if (row.name === '') return <span className={styles.none}>{t(`without.${by}`)}</span>;
  if (by === 'schedule')
    return (
      <ScheduleLink name={row.name} query={query}>
        {row.name}
      </ScheduleLink>
    );
  return (
    <button
      type="button"
      className={styles.link}
      onClick={() => {
        onChange({ [by]: row.name, rows: undefined });
      }}
    >
      {row.name} <small>{t('schedules', { count: row.schedules })}</small>
    </button>
  );
}
