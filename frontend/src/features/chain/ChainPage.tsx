import { NativeSelect, SegmentedControl, TextInput } from '@mantine/core';
import { useThrottledCallback } from '@mantine/hooks';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { api, data } from '@/api/client';
import { keys, renewShown } from '@/api/queries';
import { ArchivedNote } from '@/features/archive';
import { useRepair } from '@/features/repair';
import { usePollInterval, useTopic } from '@/live';
import {
  Empty,
  ErrorNote,
  momentAtWallTime,
  Page,
  PageHeader,
  ScheduleZone,
  serverNow,
  Skeleton,
  useNow,
  useShownZone,
  wallTimeAt,
} from '@/ui';
import { ownZone } from '@/ui/zones';
import { type Chain, criticalEdges, endsOf } from './chain';
import { Chart } from './Chart';
import { Legend } from './Legend';
import { Says } from './Says';
import type { ChainSearch } from './search';
import styles from './Chain.module.css';

/** Minimum milliseconds between two requests after live changes. */
const MIN_INTERVAL = 2_000;
/** The expected times move with the clock, so the chain is computed again after so many milliseconds. */
const REFRESH_EVERY = 30_000;

/** A schedule with those that it waits for and those that wait for it, over time. */
export function ChainPage() {
  const { name = '' } = useParams({ strict: false });
  return (
    <ScheduleZone name={name}>
      <ChainOf name={name} />
    </ScheduleZone>
  );
}

function ChainOf({ name }: { name: string }) {
  const { t } = useTranslation(['chain', 'common']);
  const { search, change } = useAddress();
  const { chain, error, pending, refresh } = useChain(name, search.resume);
  const repair = useRepair(refresh);
  const now = useNow();
  return (
    <Page>
      <PageHeader
        times
        title={t('chain:title', { name })}
        above={
          <nav aria-label={t('chain:crumbs')}>
            <Link to="/">{t('common:nav.schedules')}</Link> /{' '}
            <Link to="/schedules/$name" params={{ name }} search={{}}>
              {name}
            </Link>
          </nav>
        }
        note={chain && <Note chain={chain} />}
      >
        {chain && chain.failures.length > 0 && <Assume search={search} change={change} />}
        <Link to="/schedules/$name/ticks" params={{ name }}>
          {t('chain:ticks')}
        </Link>
      </PageHeader>
      <ArchivedNote name={name} />
      {error && (
        <div className={styles.error}>
          <ErrorNote error={error} retry={refresh} />
        </div>
      )}
      {pending && <Skeleton />}
      {chain && isAlone(chain) && (
        <Empty title={t('chain:alone.title', { name })}>
          <p>
            {t('chain:alone.text')}{' '}
            <Link to="/schedules/$name" params={{ name }} search={{ view: 'settings' }}>
              {t('chain:alone.settings')}
            </Link>
          </p>
        </Empty>
      )}
      {chain && !isAlone(chain) && <Loaded {...{ chain, search, change, now }} onResume={repair.open} />}
      {repair.node}
    </Page>
  );
}

const isAlone = (chain: Chain) => chain.schedules.length <= 1;

interface LoadedProps {
  chain: Chain;
  search: ChainSearch;
  change: (part: Partial<ChainSearch>) => void;
  /** Milliseconds since 1970. */
  now: number;
  onResume: ReturnType<typeof useRepair>['open'];
}

function Loaded({ chain, search, change, now, onResume }: LoadedProps) {
  const { t } = useTranslation('chain');
  const ends = endsOf(chain);
  const chosen = chain.schedules.some((link) => link.name === search.to) ? search.to : ends.at(-1)?.name;
  const zone = useShownZone() ?? ownZone();
  return (
    <div className={styles.loaded}>
      <Chart chain={chain} zone={zone} now={now} critical={criticalEdges(chain, chosen)} />
      {chain.cut && <p className={styles.cut}>{t('cut')}</p>}
      <Says
        chain={chain}
        zone={zone}
        chosen={chosen}
        resume={search.resume}
        onResume={(batch) => {
          onResume(batch, { action: 'resume' });
        }}
      />
      <div className={styles.foot}>
        <Legend />
        {ends.length > 0 && (
          <NativeSelect
            className={styles.to}
            label={t('critical')}
            value={chosen}
            data={chain.schedules.filter((link) => link.place !== 'before').map((link) => link.name)}
            onChange={(event) => {
              change({ to: event.currentTarget.value });
            }}
          />
        )}
      </div>
    </div>
  );
}

/** How many schedules stand before and after the subject. */
function Note({ chain }: { chain: Chain }) {
  const { t } = useTranslation('chain');
  const count = (place: string) => chain.schedules.filter((link) => link.place === place).length;
  return t('note', {
    before: t('before', { count: count('before') }),
    after: t('after', { count: count('after') }),
  });
}

type Assumption = 'never' | 'now' | 'at';

/** What is assumed: the failed batches stay failed, or are resumed now or at another time. */
function Assume({ search, change }: Pick<LoadedProps, 'search' | 'change'>) {
  const { t } = useTranslation('chain');
  const zone = useShownZone() ?? ownZone();
  const chosen: Assumption = search.resume === undefined ? 'never' : search.resume === 'now' ? 'now' : 'at';
  const at = search.resume && chosen === 'at' ? Date.parse(search.resume) : 0;
  const choose = (value: string) => {
    const inAnHour = new Date(Math.ceil((serverNow() + 1_800_000) / 1_800_000) * 1_800_000).toISOString();
    change({ resume: value === 'never' ? undefined : value === 'now' ? 'now' : inAnHour });
  };
  return (
    <div className={styles.assume}>
      <SegmentedControl
        aria-label={t('assume.label')}
        value={chosen}
        onChange={choose}
        data={(['never', 'now', 'at'] as const).map((value) => ({ value, label: t(`assume.${value}`) }))}
      />
      {chosen === 'at' && (
        <TextInput
          type="datetime-local"
          aria-label={t('assume.moment', { zone })}
          defaultValue={wallTimeAt(at, zone).slice(0, 16)}
          key={zone}
          onChange={(event) => {
            const moment = momentAtWallTime(event.currentTarget.value, zone);
            if (moment) change({ resume: moment.toISOString() });
          }}
        />
      )}
    </div>
  );
}

function useAddress() {
  const search: ChainSearch = useSearch({ strict: false });
  const navigate = useNavigate();
  const change = (part: Partial<ChainSearch>) => {
    void navigate({ to: '.', search: (before: ChainSearch) => ({ ...before, ...part }), replace: true } as never);
  };
  return { search, change };
}

/** The chain, which is read again after live changes and from time to time. */
function useChain(name: string, resume: string | undefined) {
  const client = useQueryClient();
  const poll = usePollInterval();
  const query = useQuery({
    queryKey: keys.chain(name, resume),
    queryFn: ({ signal }) =>
      data(
        api.GET('/api/v1/schedules/{name}/chain', {
          params: {
            path: { name },
            query: { resumeAt: resume === 'now' ? new Date(serverNow()).toISOString() : resume },
          },
          signal,
        }),
      ),
    refetchInterval: poll || REFRESH_EVERY,
    placeholderData: keepPreviousData,
  });
  const refresh = useThrottledCallback(() => {
    renewShown(client, { queryKey: [...keys.schedule(name), 'chain'] });
  }, MIN_INTERVAL);
  const names = new Set(query.data?.schedules.map((link) => link.name));
  useTopic({ topic: 'batches' }, (frame) => {
    if (frame.op === 'delta' && frame.batches?.some((b) => names.has(b.schedule))) refresh();
  });
  return { chain: query.data, error: query.error, pending: query.isPending, refresh };
}
