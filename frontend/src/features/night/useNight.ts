import { useThrottledCallback } from '@mantine/hooks';
import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { api, data } from '@/api/client';
import { renewShown } from '@/api/queries';
import { usePollInterval } from '@/live';
import { serverNow } from '@/ui';
import { isoOf, type Span } from './scale';

/** The key of all that this folder reads. */
export const NIGHT = ['night'] as const;
const BAND = [...NIGHT, 'band'] as const;
const OPEN = [...NIGHT, 'open'] as const;

/** Milliseconds between two reads if nothing happens: what is due comes nearer. */
export const POLL = 60_000;
/** Minimum milliseconds between two reads after live changes, and after a wait of this long they are read together. */
const MIN_INTERVAL = 3_000;
const OPEN_PAGE = 20;
const HOUR = 3_600_000;

/** The window of the band: hours before and after now, or a fixed time. */
export type Frame = { hours: number } | Span;

/** The hours before and after now to choose from. */
export const HOURS = [3, 12, 24] as const;

/** How many rows the band has. */
export const FEW_ROWS = 12;

/** The band for a window. The window of hours moves with the time of the server. */
export function useBand(frame: Frame) {
  return useQuery({
    queryKey: [...BAND, frame],
    queryFn: ({ signal }) =>
      data(api.GET('/api/v1/night', { params: { query: { ...queryOf(frame), rows: FEW_ROWS } }, signal })),
    refetchInterval: usePollInterval(POLL),
    placeholderData: keepPreviousData,
  });
}

/** A window as the API takes it. */
export function queryOf(frame: Frame) {
  return 'hours' in frame ? around(frame.hours) : isoOf(frame);
}

/** The window around now. Twelve hours are the default of the server, which keeps that answer for all browsers. */
function around(hours: number): { from?: string; to?: string } {
  if (hours === 12) return {};
  const now = serverNow();
  return isoOf({ from: now - hours * HOUR, to: now + hours * HOUR });
}

/** The failed batches that nobody has settled, newest first. */
export function useOpen() {
  const query = useInfiniteQuery({
    queryKey: OPEN,
    queryFn: ({ pageParam, signal }) =>
      data(api.GET('/api/v1/night/open', { params: { query: { before: pageParam, limit: OPEN_PAGE } }, signal })),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: (page) => page.next,
    refetchInterval: usePollInterval(POLL),
  });
  const items = useMemo(() => query.data?.pages.flatMap((page) => page.items) ?? [], [query.data]);
  return { query, items, count: query.data?.pages[0]?.count ?? 0 };
}

/** Functions that read the band and the open batches again: at once after an action, and seldom for live changes. */
export function useRenewNight(): { renew: () => void; renewSoon: () => void } {
  const client = useQueryClient();
  const renew = useCallback(() => void client.invalidateQueries({ queryKey: NIGHT }), [client]);
  const renewSoon = useThrottledCallback(() => {
    renewShown(client, { queryKey: NIGHT });
  }, MIN_INTERVAL);
  return { renew, renewSoon };
}
