import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import { api, data, type Schemas } from '@/api/client';
import { executorsQuery, keys } from '@/api/queries';
import { wallTimeAt } from '@/ui';
import { filtersOf, type ReportFilters, type ReportsSearch } from './search';

/** The days and filters of a report, as the API takes them. */
export interface ReportQuery extends ReportFilters {
  from: string;
  to: string;
  zone: string;
}

/** A day so many days later, as in `2026-11-27`. */
function dayAfter(day: string, days: number): string {
  const at = new Date(`${day}T00:00:00Z`);
  at.setUTCDate(at.getUTCDate() + days);
  return at.toISOString().slice(0, 10);
}

/** The days and filters of an address. Days begin at midnight of the zone. */
export function queryOf(search: ReportsSearch, now: number, zone: string): ReportQuery {
  const { days = 30 } = search;
  const to = wallTimeAt(now, zone).slice(0, 10);
  return { from: dayAfter(to, 1 - days), to, zone, ...filtersOf(search) };
}

/** Reports change slowly, and take the server some work: an open page reads them again every ten minutes. */
const OPTIONS = { staleTime: 60_000, refetchInterval: 600_000, placeholderData: keepPreviousData };

/** The queries of a page of reports. */
export interface Reports {
  batches: UseQueryResult<Schemas['BatchReport']>;
  tasks: UseQueryResult<Schemas['TaskReport']>;
  executors: UseQueryResult<Schemas['ExecutorReport']>;
}

/** Reads the reports of a page. */
export function useReports(query: ReportQuery): Reports {
  const params = { query };
  return {
    batches: useQuery({
      ...OPTIONS,
      queryKey: [...keys.reports, 'batches', query],
      queryFn: ({ signal }) => data(api.GET('/api/v1/reports/batches', { params, signal })),
    }),
    tasks: useQuery({
      ...OPTIONS,
      queryKey: [...keys.reports, 'tasks', query],
      queryFn: ({ signal }) => data(api.GET('/api/v1/reports/tasks', { params, signal })),
    }),
    executors: useQuery({
      ...OPTIONS,
      queryKey: [...keys.reports, 'executors', query],
      queryFn: ({ signal }) => data(api.GET('/api/v1/reports/executors', { params, signal })),
    }),
  };
}

/**
 * What the filters offer: the schedules, tags and owners of all batches of these days, and all executors. They are read
 * when a menu opens.
 */
export function useChoices({ from, to, zone }: ReportQuery) {
  const [enabled, setEnabled] = useState(false);
  const query = { from, to, zone };
  const { data: report } = useQuery({
    queryKey: [...keys.reports, 'batches', { ...query, ...filtersOf({}) }],
    queryFn: ({ signal }) => data(api.GET('/api/v1/reports/batches', { params: { query }, signal })),
    staleTime: OPTIONS.staleTime,
    enabled,
  });
  const { data: executors } = useQuery({ ...executorsQuery, staleTime: OPTIONS.staleTime, enabled });
  const rows = report?.schedules ?? [];
  const unique = (list: string[]) => [...new Set(list)].filter((v) => v !== '').sort((a, b) => a.localeCompare(b));
  return {
    schedule: unique(rows.map((s) => s.name ?? '')),
    tag: unique(rows.flatMap((s) => s.tags ?? [])),
    owner: unique(rows.flatMap((s) => s.owners ?? [])),
    executor: unique((executors?.items ?? []).map((e) => e.name)),
    load: () => {
      setEnabled(true);
    },
  };
}
