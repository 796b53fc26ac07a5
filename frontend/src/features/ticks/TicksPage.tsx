import { Button } from '@mantine/core';
import { useThrottledCallback } from '@mantine/hooks';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { memo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, data, type Schemas } from '@/api/client';
import { keys, renewShown, scheduleQuery } from '@/api/queries';
import { ArchivedNote } from '@/features/archive';
import { PlannedChanges, useChangeText } from '@/features/planned';
import { usePollInterval, useTopic } from '@/live';
import {
  Ago,
  Empty,
  ErrorNote,
  exact,
  Glyph,
  LoadMore,
  Moment,
  NeedsServer,
  Page,
  PageHeader,
  Row,
  ScheduleZone,
  Skeleton,
  Table,
  TimeUntil,
  useNow,
  useOnceDecided,
  useShownZone,
  useSpan,
  VirtualRows,
} from '@/ui';
import { Days, momentsOf } from '@/ui/Days';
import { ownZone } from '@/ui/zones';
import { lateness, ruleTextKey, STATE_OF_DECISION, type Tick, upcomingMoments } from './ticks';
import { checkTicksSearch, type TicksSearch } from './search';
import styles from './Ticks.module.css';
import { ReleaseDialog, WaitsFor } from './Waiting';
import { Webhooks } from './Webhooks';

const PAGE_SIZE = 50;
/** Minimum milliseconds between two requests after live changes. */
const MIN_INTERVAL = 1_000;
const ROW_HEIGHT = 56;
const COLUMNS = 5;

/** The ticks of a schedule with their decisions, and the next moments above them. */
export function TicksPage() {
  const { name = '' } = useParams({ strict: false });
  return (
    <ScheduleZone name={name}>
      <Ticks name={name} />
    </ScheduleZone>
  );
}

function Ticks({ name }: { name: string }) {
  const { t } = useTranslation(['ticks', 'common']);
  const days: TicksSearch = useSearch({ strict: false });
  const { schedule, enabled, finished, ticks, error, query, refresh } = useTicks(name, days);
  const zone = useShownZone() ?? ownZone();
  const [released, setReleased] = useState<Tick>();
  return (
    <Page>
      <PageHeader
        times
        title={t('ticks:title', { name })}
        above={
          <nav aria-label={t('ticks:crumbs')}>
            <Link to="/">{t('common:nav.schedules')}</Link> /{' '}
            <Link to="/schedules/$name" params={{ name }} search={{}}>
              {name}
            </Link>
          </nav>
        }
        note={schedule && t(enabled ? 'ticks:note' : 'ticks:noteDisabled')}
      >
        <Link to="/forecast" search={{ schedule: name }}>
          {t('ticks:forecast')}
        </Link>
        <Link to="/batches" search={{ schedule: name }}>
          {t('ticks:batches')}
        </Link>
        <Link to="/schedules/$name/chain" params={{ name }} search={{}}>
          {t('ticks:chain')}
        </Link>
      </PageHeader>
      <ArchivedNote name={name} />
      <Failure error={error} retry={refresh} />
      <PlannedChanges schedule={name} zone={zone} />
      <Webhooks schedule={name} zone={zone} triggers={schedule?.triggers} />
      <DaysFilter name={name} days={days} zone={schedule?.timezone ?? 'UTC'} />
      {query.isPending && <Skeleton />}
      {query.isSuccess && schedule && (
        <Ledger {...{ name, schedule, days, ticks, finished, zone, enabled }} onRelease={setReleased} />
      )}
      {released && (
        <ReleaseDialog
          schedule={name}
          tick={released}
          zone={zone}
          onClose={() => {
            setReleased(undefined);
          }}
          onReleased={refresh}
        />
      )}
      <LoadMore query={query} />
    </Page>
  );
}

/** The filter by days of the moments. */
function DaysFilter({ name, days, zone }: { name: string; days: TicksSearch; zone: string }) {
  const navigate = useNavigate();
  return (
    <div className={styles.filters} role="search">
      <Days
        {...days}
        zone={zone}
        onChange={(part) => {
          void navigate({
            to: '/schedules/$name/ticks',
            params: { name },
            search: (old) => ({ ...checkTicksSearch(old), ...part }),
            replace: true,
          });
        }}
      />
    </div>
  );
}

/** Why the ticks cannot be shown; nothing without an error. */
function Failure({ error, retry }: { error: unknown; retry: () => void }) {
  if (!error) return null;
  return (
    <div className={styles.error}>
      <ErrorNote
        error={error}
        retry={() => {
          retry();
        }}
      />
    </div>
  );
}

type Finished = NonNullable<Schemas['Schedule']['finished']>;

/** Why the triggers of a schedule make no more batches, and how to go on. */
function Finished({ name, why }: { name: string; why: Finished }) {
  const { t } = useTranslation(['ticks', 'schedules']);
  return (
    <>
      {t(`schedules:next.finishedAbout.${why}`)}{' '}
      <Link to="/schedules/$name" params={{ name }} search={{ view: 'settings' }}>
        {t('ticks:settings')}
      </Link>
    </>
  );
}

/** The page of a schedule without ticks: why there are none. */
function NoTicks({ name, hasTriggers, finished }: { name: string; hasTriggers: boolean; finished?: Finished }) {
  const { t } = useTranslation('ticks');
  return (
    <Empty title={t('none.title')}>
      <p>{finished ? <Finished name={name} why={finished} /> : t(hasTriggers ? 'none.yet' : 'none.byHand')}</p>
    </Empty>
  );
}

interface LedgerProps extends Pick<TableProps, 'name' | 'ticks' | 'finished' | 'zone' | 'enabled' | 'onRelease'> {
  schedule: Schemas['Schedule'];
  days: TicksSearch;
}

/** The table of the ticks, or why there are none. Of chosen days, only the ticks are shown. */
function Ledger({ schedule, days, finished, ...props }: LedgerProps) {
  const { t } = useTranslation('ticks');
  const now = useNow();
  const { name, ticks } = props;
  const past = days.from !== undefined || days.to !== undefined;
  const upcoming = past ? [] : upcomingMoments(schedule.nextAt, now);
  if (ticks.length > 0 || upcoming.length > 0)
    return <TickTable {...props} upcoming={upcoming} finished={past ? undefined : finished} past={past} now={now} />;
  if (past) return <Empty title={t('none.days')} />;
  return <NoTicks name={name} hasTriggers={(schedule.triggers ?? []).length > 0} finished={finished} />;
}

interface TableProps {
  name: string;
  ticks: readonly Tick[];
  /** The next moments, the latest first. */
  upcoming: readonly string[];
  finished?: Finished;
  /** Milliseconds since 1970. */
  now: number;
  zone: string;
  enabled: boolean;
  /** Only ticks of chosen days are shown: the current time is not among them. */
  past?: boolean;
  onRelease: (tick: Tick) => void;
}

/** The next moments, the current time, and the decided ticks. */
function TickTable({ name, ticks, upcoming, finished, now, zone, enabled, past, onRelease }: TableProps) {
  const { t } = useTranslation('ticks');
  return (
    <Table
      caption={t('title', { name })}
      className={styles.table}
      head={
        <tr>
          <th scope="col">{t('head.moment')}</th>
          <th scope="col">{t('head.decision')}</th>
          <th scope="col">{t('head.rule')}</th>
          <th scope="col">{t('head.batch')}</th>
          <th scope="col">{t('head.decided')}</th>
        </tr>
      }
    >
      <tbody>
        {upcoming.map((at) => (
          <NextRow key={at} at={at} enabled={enabled} />
        ))}
        {finished && (
          <Row className={`${styles.row ?? ''} ${styles.next ?? ''}`}>
            <td colSpan={COLUMNS}>
              <Finished name={name} why={finished} />
            </td>
          </Row>
        )}
        {!past && (
          <tr className={styles.now}>
            <th scope="row" colSpan={COLUMNS}>
              <span>
                {t('now')} <Moment at={now} seconds />
              </span>
            </th>
          </tr>
        )}
        {ticks.length === 0 && (
          <Row className={styles.row}>
            <td colSpan={COLUMNS}>{t('none.yet')}</td>
          </Row>
        )}
      </tbody>
      <VirtualRows
        items={ticks}
        height={ROW_HEIGHT}
        columns={COLUMNS}
        keyOf={(tick) => `${tick.moment} ${tick.trigger}`}
      >
        {(tick) => <TickRow schedule={name} tick={tick} zone={zone} onRelease={onRelease} />}
      </VirtualRows>
    </Table>
  );
}

/** The schedule and the pages of its ticks. They are loaded again after live changes, and when the next tick is due. */
function useTicks(name: string, days: TicksSearch) {
  const client = useQueryClient();
  const refetchInterval = usePollInterval();
  const { data: schedule, error: scheduleError } = useQuery({ ...scheduleQuery(name), refetchInterval });
  // A day begins at midnight in the time zone of the schedule, so the schedule must be loaded first.
  const { from: since, to: until } = momentsOf(days, schedule?.timezone ?? 'UTC');
  const query = useInfiniteQuery({
    queryKey: [...keys.ticks(name), { since, until }],
    enabled: schedule !== undefined || (days.from === undefined && days.to === undefined),
    queryFn: ({ pageParam, signal }) =>
      data(
        api.GET('/api/v1/schedules/{name}/ticks', {
          params: { path: { name }, query: { before: pageParam, limit: PAGE_SIZE, since, until } },
          signal,
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next,
    refetchInterval: ({ state }) =>
      state.data?.pages.some((p) => p.items.some((k) => k.decision === 'waiting' && k.released))
        ? MIN_INTERVAL // a skip causes no live change
        : refetchInterval,
  });
  const refresh = useThrottledCallback(() => {
    renewShown(client, { queryKey: keys.schedule(name) });
  }, MIN_INTERVAL);
  useTopic({ topic: 'batches' }, (frame) => {
    if (frame.op === 'delta' && frame.batches?.some((b) => b.schedule === name && b.kind !== 'manual')) refresh();
  });
  useOnceDecided(schedule?.nextAt?.[0], refresh); // a decision without a batch causes no live change
  return {
    schedule,
    enabled: schedule?.enabled ?? true,
    finished: schedule?.enabled ? schedule.finished : undefined,
    ticks: query.data?.pages.flatMap((p) => p.items) ?? [],
    error: query.error ?? scheduleError,
    query,
    refresh,
  };
}

/** The row of a tick, or of several missed ticks, with the decision and its reason. */
const TickRow = memo(function TickRow({
  schedule,
  tick,
  zone,
  onRelease,
}: {
  schedule: string;
  tick: Tick;
  zone: string;
  onRelease: (tick: Tick) => void;
}) {
  const { t } = useTranslation('ticks');
  const span = useSpan();
  const change = useChangeText(zone);
  const rule = ruleTextKey(tick);
  const late = tick.decision === 'waiting' ? undefined : lateness(tick);
  const at = (moment: string) => <Moment at={moment} seconds />;
  return (
    <Row className={styles.row}>
      <th scope="row" className={styles.moment}>
        {at(tick.moment)}
        {tick.until && (
          <small>
            {t('until')} {at(tick.until)} · {t('count', { count: tick.count })}
          </small>
        )}
      </th>
      <td className={styles.decision}>
        <span className={styles.chip} data-state={STATE_OF_DECISION[tick.decision]}>
          <Glyph state={STATE_OF_DECISION[tick.decision]} size={18} />
          {t(`decision.${tick.decision}`)}
        </span>
      </td>
      <td className={styles.rule} title={tick.detail}>
        {tick.decision === 'waiting' ? (
          <WaitsFor schedule={schedule} tick={tick} zone={zone} />
        ) : rule ? (
          t(`rule.${rule}`)
        ) : (
          (tick.detail ?? tick.rule)
        )}
        {tick.plannedChange && <small>{change(tick.plannedChange)}</small>}
        {tick.released && <small>{t('missing.by', tick.released)}</small>}
      </td>
      <td className={styles.batch}>
        {tick.decision === 'waiting' && !tick.released && (
          <NeedsServer>
            <Button
              aria-label={t('release.of', { at: exact(tick.moment, { zone }) })}
              onClick={() => {
                onRelease(tick);
              }}
            >
              {t('release.open')}
            </Button>
          </NeedsServer>
        )}
        {tick.batch !== undefined && (
          <Link to="/batches/$id" params={{ id: tick.batch }} preload={false}>
            {t('batch', { id: tick.batch })}
          </Link>
        )}
      </td>
      <td className={styles.decided}>
        <Ago at={tick.decidedAt} />
        {late !== undefined && <small>{t('late', { span: span(late) })}</small>}
      </td>
    </Row>
  );
});

/** The row of a moment that is not due yet. */
function NextRow({ at, enabled }: { at: string; enabled: boolean }) {
  const { t } = useTranslation('ticks');
  return (
    <Row className={`${styles.row ?? ''} ${styles.next ?? ''}`}>
      <th scope="row" className={styles.moment}>
        <Moment at={at} seconds />
      </th>
      <td className={styles.decision}>
        <span className={styles.chip}>
          <Glyph state="waiting" size={18} />
          {t(enabled ? 'next.due' : 'next.disabled')}
        </span>
      </td>
      <td className={styles.rule} colSpan={3}>
        <TimeUntil at={at} />
      </td>
    </Row>
  );
}
