import { useThrottledCallback } from '@mantine/hooks';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { api, data } from '@/api/client';
import { keys, scheduleQuery } from '@/api/queries';
import { useLiveStatus, useTopic } from '@/live';
import {
  Empty,
  ErrorNote,
  exact,
  LoadMore,
  Page,
  PageHeader,
  serverNow,
  Skeleton,
  Table,
  useNow,
  VirtualRows,
} from '@/ui';
import { NextRow, TickRow } from './TickRow';
import { forecast, type Tick } from './ticks';
import styles from './Ticks.module.css';

const PAGE = 50;
const POLL = 5_000;
const EVERY = 1_000;
const ROW_HEIGHT = 56;
const COLUMNS = 5;
/** The server decides a tick a moment after it is due. */
const DECIDED = 1_500;
const LONGEST_TIMER = 2_000_000_000;

/** The ledger of a schedule: every moment at which it was due, with the one decision about it; above, those to come. */
export function TicksPage() {
  const { t } = useTranslation(['ticks', 'common']);
  const { name = '' } = useParams({ strict: false });
  const { schedule, zone, enabled, ticks, error, query, renew } = useTicks(name);
  const now = useNow();
  const ahead = forecast(schedule?.nextAt, now);
  const nothing = ticks.length === 0 && ahead.length === 0;
  return (
    <Page>
      <PageHeader
        title={t('ticks:title', { name })}
        above={
          <nav aria-label={t('ticks:crumbs')}>
            <Link to="/">{t('common:nav.schedules')}</Link> /{' '}
            <Link to="/schedules/$name" params={{ name }} search={{}}>
              {name}
            </Link>
          </nav>
        }
        note={schedule && t(enabled ? 'ticks:note' : 'ticks:notePaused', { zone })}
      >
        <Link to="/batches" search={{ schedule: name }}>
          {t('ticks:batches')}
        </Link>
      </PageHeader>
      {error && (
        <div className={styles.error}>
          <ErrorNote
            error={error}
            retry={() => {
              renew();
            }}
          />
        </div>
      )}
      {query.isPending && <Skeleton />}
      {query.isSuccess && schedule && nothing && (
        <Empty title={t('ticks:none.title')}>
          <p>{t(schedule.triggers?.length ? 'ticks:none.yet' : 'ticks:none.byHand')}</p>
        </Empty>
      )}
      {query.isSuccess && !nothing && (
        <TickTable name={name} ticks={ticks} ahead={ahead} now={now} zone={zone} enabled={enabled} />
      )}
      <LoadMore query={query} />
    </Page>
  );
}

interface TableProps {
  name: string;
  ticks: readonly Tick[];
  /** The moments to come, the furthest first. */
  ahead: readonly string[];
  /** Milliseconds since 1970. */
  now: number;
  zone: string;
  enabled: boolean;
}

/** The moments to come, the present time, and the decided ticks. */
function TickTable({ name, ticks, ahead, now, zone, enabled }: TableProps) {
  const { t } = useTranslation('ticks');
  return (
    <Table
      caption={t('title', { name })}
      className={styles.table}
      head={
        <tr>
          <th scope="col">{t('head.moment', { zone })}</th>
          <th scope="col">{t('head.decision')}</th>
          <th scope="col">{t('head.rule')}</th>
          <th scope="col">{t('head.batch')}</th>
          <th scope="col">{t('head.decided')}</th>
        </tr>
      }
    >
      <tbody>
        {ahead.map((at) => (
          <NextRow key={at} at={at} zone={zone} enabled={enabled} />
        ))}
        <tr className={styles.now}>
          <th scope="row" colSpan={COLUMNS}>
            <span>
              {t('now')} <time>{exact(now, { zone, seconds: true })}</time>
            </span>
          </th>
        </tr>
        {ticks.length === 0 && (
          <tr className={styles.row}>
            <td colSpan={COLUMNS}>{t('none.yet')}</td>
          </tr>
        )}
      </tbody>
      <VirtualRows
        items={ticks}
        height={ROW_HEIGHT}
        columns={COLUMNS}
        keyOf={(tick) => `${tick.moment} ${tick.trigger}`}
      >
        {(tick) => <TickRow tick={tick} zone={zone} />}
      </VirtualRows>
    </Table>
  );
}

/** The schedule and its decided ticks, page after page, renewed by the live topic and when the next tick is due. */
function useTicks(name: string) {
  const client = useQueryClient();
  const offline = useLiveStatus() === 'offline';
  const refetchInterval = offline ? POLL : (false as const);
  const { data: schedule, error: scheduleError } = useQuery({ ...scheduleQuery(name), refetchInterval });
  const query = useInfiniteQuery({
    queryKey: keys.ticks(name),
    queryFn: ({ pageParam, signal }) =>
      data(
        api.GET('/api/v1/schedules/{name}/ticks', {
          params: { path: { name }, query: { before: pageParam, limit: PAGE } },
          signal,
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next,
    refetchInterval,
  });
  const renew = useThrottledCallback(() => void client.invalidateQueries({ queryKey: keys.schedule(name) }), EVERY);
  useTopic({ topic: 'batches' }, (frame) => {
    if (frame.op === 'delta' && frame.batches?.some((b) => b.schedule === name && b.kind === 'scheduled')) renew();
  });
  const next = schedule?.nextAt?.[0];
  useEffect(() => {
    const wait = next ? Math.max(0, new Date(next).getTime() - serverNow()) + DECIDED : Infinity;
    if (wait > LONGEST_TIMER) return undefined;
    const timer = setTimeout(renew, wait); // also where the decision makes no batch
    return () => {
      clearTimeout(timer);
    };
  }, [next, renew]);
  return {
    schedule,
    zone: schedule?.timezone ?? 'UTC',
    enabled: schedule?.enabled ?? true,
    ticks: query.data?.pages.flatMap((p) => p.items) ?? [],
    error: query.error ?? scheduleError,
    query,
    renew,
  };
}
