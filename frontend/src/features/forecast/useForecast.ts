import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api, data } from '@/api/client';
import { keys } from '@/api/queries';
import { usePollInterval } from '@/live';
import { momentAtWallTime } from '@/ui';
import { dateAfter } from './month';

/** The ticks that the list of a day asks for. */
const DAY_LIMIT = 500;

interface Filter {
  schedule?: string;
  down?: string;
  shift?: string;
  /** Undefined while it is not known. */
  zone?: string;
}

/** A month. While another one is read, it shows the last one. */
export function useMonth(month: string, { schedule, down, zone }: Filter) {
  const refetchInterval = usePollInterval();
  return useQuery({
    queryKey: [...keys.forecast, 'month', month, schedule, down, zone],
    queryFn: ({ signal }) =>
      data(
        api.GET('/api/v1/forecast/month', {
          params: { query: { month, schedule, timezone: zone, down: down === undefined ? undefined : [down] } },
          signal,
        }),
      ),
    enabled: zone !== undefined,
    placeholderData: keepPreviousData,
    refetchInterval,
  });
}

/** The decisions of a day; nothing is read for a day that is over. */
export function useDay(date: string, past: boolean, { schedule, down, shift, zone = 'UTC' }: Filter) {
  const from = startOf(date, zone);
  const until = startOf(dateAfter(date, 1), zone) - 1000;
  return useQuery({
    queryKey: [...keys.forecast, 'day', date, schedule, down, shift, zone],
    queryFn: ({ signal }) =>
      data(
        api.GET('/api/v1/forecast', {
          params: {
            query: {
              schedule,
              from: new Date(from).toISOString(),
              until: new Date(until).toISOString(),
              limit: DAY_LIMIT,
              down: down === undefined ? undefined : [down],
              shift: shift === undefined ? undefined : [shift],
            },
          },
          signal,
        }),
      ),
    enabled: !past,
  });
}

/** The slots that a day wants, from now on. */
export function useSlots(date: string, { schedule, down, shift, zone = 'UTC' }: Filter) {
  return useQuery({
    queryKey: [...keys.forecast, 'slots', date, schedule, down, shift, zone],
    queryFn: ({ signal }) =>
      data(
        api.GET('/api/v1/forecast/slots', {
          params: {
            query: {
              schedule,
              from: new Date(startOf(date, zone)).toISOString(),
              until: new Date(startOf(dateAfter(date, 1), zone)).toISOString(),
              down: down === undefined ? undefined : [down],
              shift: shift === undefined ? undefined : [shift],
            },
          },
          signal,
        }),
      ),
  });
}

/** The first moment of a date, in milliseconds. Clocks may skip midnight. */
export function startOf(date: string, zone: string): number {
  for (const time of ['00:00', '00:30', '01:00', '02:00']) {
    const at = momentAtWallTime(`${date}T${time}`, zone);
    if (at) return at.getTime();
  }
  return Date.parse(`${date}T00:00:00Z`);
}
