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
import { forecast } from './ticks';
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
  const client = useQueryClient();
  const offline = useLiveStatus() === 'offline';
  const refetchInterval = offline ? POLL : (false as const);
  const { data: schedule, error: unknown } = useQuery({ ...scheduleQuery(name), refetchInterval });
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

  const now = useNow();
  const zone = schedule?.timezone ?? 'UTC';
  const ahead = forecast(schedule?.nextAt, now);
  const ticks = query.data?.pages.flatMap((p) => p.items) ?? [];
  const enabled = schedule?.enabled ?? true;
  const none = query.isSuccess && ticks.length === 0;
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
      {(query.isError || unknown) && (
        <div className={styles.error}>
          <ErrorNote
            error={query.error ?? unknown}
            retry={() => {
              renew();
            }}
          />
        </div>
      )}
      {query.isPending && <Skeleton />}
      {none && schedule && ahead.length === 0 && (
        <Empty title={t('ticks:none.title')}>
          <p>{t(schedule.triggers?.length ? 'ticks:none.yet' : 'ticks:none.byHand')}</p>
        </Empty>
      )}
      {query.isSuccess && (ticks.length > 0 || ahead.length > 0) && (
        <Table
          caption={t('ticks:title', { name })}
          className={styles.table}
          head={
            <tr>
              <th scope="col">{t('ticks:head.moment', { zone })}</th>
              <th scope="col">{t('ticks:head.decision')}</th>
              <th scope="col">{t('ticks:head.rule')}</th>
              <th scope="col">{t('ticks:head.batch')}</th>
              <th scope="col">{t('ticks:head.decided')}</th>
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
                  {t('ticks:now')} <time>{exact(now, { zone, seconds: true })}</time>
                </span>
              </th>
            </tr>
            {none && (
              <tr className={styles.row}>
                <td colSpan={COLUMNS}>{t('ticks:none.yet')}</td>
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
      )}
      <LoadMore query={query} />
    </Page>
  );
}
