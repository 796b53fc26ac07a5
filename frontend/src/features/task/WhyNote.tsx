import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { api, data, type Schemas } from '@/api/client';
import { keys } from '@/api/queries';
import type { RunStore } from '@/live';
import { Ago, relative, type RunState, useNow } from '@/ui';
import styles from './Notes.module.css';
import { TaskLink } from './TaskLink';

interface Props {
  batch: number;
  store: RunStore;
  task: string;
  state: RunState;
  /** Why no executor takes the task, by the live run. */
  hold?: string;
  onSelect: (task: string) => void;
}

const POLL_INTERVAL = 3000;
const WAIT_REASONS = ['no_executor', 'no_handler', 'no_match', 'offline', 'silent', 'busy'] as const;
type WaitReason = (typeof WAIT_REASONS)[number];

/** Why the task does not run: the first condition that is not met, the tasks that it waits for, and since when. */
export function WhyNote({ batch, store, task, state, hold, onSelect }: Props) {
  const { t } = useTranslation('task');
  const { data: why } = useQuery({
    queryKey: [...keys.batch(batch), 'why', task, state, hold ?? ''],
    queryFn: () => data(api.GET('/api/v1/batches/{id}/tasks/{task}/why', { params: { path: { id: batch, task } } })),
    refetchInterval: POLL_INTERVAL,
    placeholderData: (before) => (before?.task === task ? before : undefined),
  });
  if (!why || why.code === 'final' || why.code === 'running') return null;
  const finer =
    why.code === 'executor' && WAIT_REASONS.includes(hold as WaitReason) ? t(`hold.${hold as WaitReason}`) : undefined;
  return (
    <div className={styles.note} data-tone={why.code === 'stuck' || why.code === 'held' ? 'bad' : 'quiet'}>
      <p>
        <b>{finer ?? t(`why.${why.code}`, { count: why.on?.length ?? 0 })}</b>
        <Times why={why} />
      </p>
      <Causes on={why.on ?? []} store={store} onSelect={onSelect} />
      <Holders holders={why.holders ?? []} />
    </div>
  );
}

/** When the wait ends by itself. */
function Until({ at }: { at: string }) {
  const { i18n } = useTranslation();
  const now = useNow();
  return <span className="hg-quiet">{relative(Math.max(new Date(at).getTime(), now), now, i18n.language)}</span>;
}

interface CausesProps extends Pick<Props, 'store' | 'onSelect'> {
  on: NonNullable<Schemas['Why']['on']>;
}

/** The tasks that the task waits for. */
function Causes({ on, store, onSelect }: CausesProps) {
  const { t } = useTranslation('task');
  if (on.length === 0) return null;
  return (
    <ul>
      {on.slice(0, 8).map((o) => (
        <li key={o.task}>
          <TaskLink store={store} task={o.task} onSelect={onSelect} sign />
          {o.since && (
            <span>
              <Ago at={o.since} />
            </span>
          )}
        </li>
      ))}
      {on.length > 8 && (
        <li>
          <span>{t('andMore', { count: on.length - 8 })}</span>
        </li>
      )}
    </ul>
  );
}

/** The runs that hold the slots. */
function Holders({ holders }: { holders: NonNullable<Schemas['Why']['holders']> }) {
  const { t } = useTranslation('task');
  if (holders.length === 0) return null;
  return (
    <ul aria-label={t('holders')}>
      {holders.slice(0, 5).map((h) => (
        <li key={`${String(h.batch)} ${h.task}`}>
          <Link to="/batches/$id" params={{ id: h.batch }} search={{ task: h.task }}>
            {h.schedule ? `${h.schedule} / ${h.task}` : h.task}
          </Link>
          <span>{h.executor}</span>
          {h.since && (
            <span>
              <Ago at={h.since} />
            </span>
          )}
        </li>
      ))}
      {holders.length > 5 && (
        <li>
          <span>{t('andMore', { count: holders.length - 5 })}</span>
        </li>
      )}
    </ul>
  );
}

/** Since when the task waits, and until when. */
function Times({ why }: { why: Schemas['Why'] }) {
  return (
    <>
      {why.since && (
        <span className="hg-quiet">
          {' '}
          <Ago at={why.since} />
        </span>
      )}
      {why.until && (
        <span className="hg-quiet">
          {' '}
          · <Until at={why.until} />
        </span>
      )}
    </>
  );
}
