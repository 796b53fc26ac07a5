import { useThrottledCallback } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { api, data, type Schemas } from '@/api/client';
import { keys, renewShown } from '@/api/queries';
import { type Batch, usePollInterval, useTopic } from '@/live';
import { Glyph, useExact } from '@/ui';
import styles from './Header.module.css';

type Linked = Schemas['BatchLink'];

/** How many batches are named on each side. The chain shows the others. */
const MAX_NAMED = 3;
/** Minimum milliseconds between two requests after live changes. */
const MIN_INTERVAL = 2_000;

/** The batches that let this one start, and those that it let start, with their states. */
export function Links({ batch }: { batch: Batch }) {
  const { t } = useTranslation('batch');
  const client = useQueryClient();
  const queryKey = [...keys.batch(batch.id), 'links'];
  const { data: links } = useQuery({
    queryKey,
    queryFn: () =>
      data(api.GET('/api/v1/batches/{id}', { params: { path: { id: batch.id }, query: { tasks: false } } })),
    enabled: batch.schedule !== '',
    refetchInterval: usePollInterval(),
  });
  const refresh = useThrottledCallback(() => {
    renewShown(client, { queryKey });
  }, MIN_INTERVAL);
  const { causedBy = [], caused = [] } = links ?? {};
  const near = new Set([...causedBy, ...caused].map((one) => one.id));
  useTopic({ topic: 'batches' }, (frame) => {
    // A batch of another schedule may be one that this batch has just let start.
    if (frame.op === 'delta' && frame.batches?.some((b) => near.has(b.id) || b.kind === 'dependent')) refresh();
  });
  if (near.size === 0) return null;
  return (
    <span className={styles.links}>
      {causedBy.length > 0 && <Side label={t('links.causedBy')} list={causedBy} schedule={batch.schedule} />}
      {caused.length > 0 && <Side label={t('links.caused')} list={caused} schedule={batch.schedule} />}
    </span>
  );
}

function Side({ label, list, schedule }: { label: string; list: readonly Linked[]; schedule: string }) {
  const { t } = useTranslation(['batch', 'states']);
  const exact = useExact();
  return (
    <span className={styles.side}>
      {label}
      {list.slice(0, MAX_NAMED).map((one) => (
        <Link
          key={one.id}
          to="/batches/$id"
          params={{ id: one.id }}
          preload={false}
          title={exact(one.moment)}
          aria-label={t('batch:links.one', {
            schedule: one.schedule,
            id: one.id,
            state: t(`states:${one.state}`),
          })}
        >
          <Glyph state={one.state} size={14} bare />
          {one.schedule}
        </Link>
      ))}
      {list.length > MAX_NAMED && (
        <Link to="/schedules/$name/chain" params={{ name: schedule }} search={{}}>
          {t('batch:links.more', { count: list.length - MAX_NAMED })}
        </Link>
      )}
    </span>
  );
}
