import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { api, data } from '@/api/client';
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
  /** Why no executor takes it, as the live run tells. */
  hold?: string;
  onSelect: (task: string) => void;
}

const EVERY = 3000;
const HOLDS = ['no_executor', 'no_handler', 'no_match', 'offline', 'silent', 'busy'] as const;
type Hold = (typeof HOLDS)[number];

/** Why the task is not running: the first condition that is not met, on what or whom it waits, since when. */
export function WhyNote({ batch, store, task, state, hold, onSelect }: Props) {
  const { t } = useTranslation('task');
  const { data: why } = useQuery({
    queryKey: [...keys.batch(batch), 'why', task, state, hold ?? ''],
    queryFn: () => data(api.GET('/api/v1/batches/{id}/tasks/{task}/why', { params: { path: { id: batch, task } } })),
    refetchInterval: EVERY,
    placeholderData: (before) => (before?.task === task ? before : undefined),
  });
  if (!why || why.code === 'final' || why.code === 'running') return null;
  const on = why.on ?? [];
  const holders = why.holders ?? [];
  const finer = why.code === 'executor' && HOLDS.includes(hold as Hold) ? t(`hold.${hold as Hold}`) : undefined;
  return (
    <div className={styles.note} data-tone={why.code === 'stuck' || why.code === 'held' ? 'bad' : 'quiet'}>
      <p>
        <b>{finer ?? t(`why.${why.code}`, { count: on.length })}</b>
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
      </p>
      {on.length > 0 && (
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
      )}
      {holders.length > 0 && (
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
      )}
    </div>
  );
}

/** When it ends by itself. */
function Until({ at }: { at: string }) {
  const { i18n } = useTranslation();
  const now = useNow();
  return <span className="hg-quiet">{relative(Math.max(new Date(at).getTime(), now), now, i18n.language)}</span>;
}
