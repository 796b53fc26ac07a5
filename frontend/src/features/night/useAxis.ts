import { keepPreviousData, useQueries } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { api, data } from '@/api/client';
import { usePollInterval } from '@/live';
import type { NightRow } from './scale';
import { type Frame, NIGHT, POLL, queryOf } from './useNight';

/** The rows of one request. */
const PAGE = 50;

/** What is known of all schedules in a window. */
export interface AxisRows {
  /** How many schedules there are; undefined until it is known. */
  count?: number;
  /** The rows that were read, by their place. */
  rowAt: (index: number) => NightRow | undefined;
  /** The window of the first answer, and its now. */
  window?: { now: string; from: string; to: string };
  error: unknown;
  /** The last answer is old, because the server cannot be reached. */
  retry: () => void;
}

/** Reads the rows from `first` to `last` of all schedules in a window. */
export function useAxis(frame: Frame, find: string | undefined, first: number, last: number): AxisRows {
  const from = Math.floor(Math.max(0, first) / PAGE);
  const to = Math.floor(Math.max(0, last) / PAGE);
  // The first page says how many rows there are.
  const pages = [...new Set([0, ...Array.from({ length: to - from + 1 }, (_, i) => from + i)])];
  const poll = usePollInterval(POLL);
  const results = useQueries({
    queries: pages.map((page) => ({
      queryKey: [...NIGHT, 'axis', frame, find ?? '', page],
      queryFn: ({ signal }: { signal: AbortSignal }) => {
        const query = { ...queryOf(frame), all: true, find, rows: PAGE, skip: page * PAGE };
        return data(api.GET('/api/v1/night', { params: { query }, signal }));
      },
      refetchInterval: poll,
      placeholderData: page === 0 ? keepPreviousData : undefined,
    })),
  });
  const head = results[0]?.data;
  const loaded = new Map(pages.map((page, i) => [page, results[i]?.data?.rows]));
  const failed = results.find((result) => result.isError);
  return {
    count: head?.schedules,
    rowAt: (index) => loaded.get(Math.floor(index / PAGE))?.[index % PAGE],
    window: head,
    error: failed?.error,
    retry: () => {
      results.forEach((result) => void result.refetch());
    },
  };
}

/** The range of rows in view, which only changes in steps, so that scrolling does not read the same rows again. */
export function useRange(): [readonly [number, number], (first: number, last: number) => void] {
  const [range, setRange] = useState<readonly [number, number]>([0, 0]);
  const set = useMemo(
    () => (first: number, last: number) => {
      setRange((before) => (before[0] === first && before[1] === last ? before : [first, last]));
    },
    [],
  );
  return [range, set];
}
