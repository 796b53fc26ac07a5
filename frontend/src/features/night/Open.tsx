import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { errorText } from '@/api/problem';
import { meQuery } from '@/api/queries';
import { useTaking } from '@/features/alerts';
import { ErrorNote, Glyph, Moment, NeedsServer, serverNow, Skeleton, useClock, useExact, useSpan } from '@/ui';
import { useOpen, useRenewNight } from './useNight';
import styles from './Open.module.css';

type OpenBatch = Schemas['OpenBatch'];

/** The age of a failure is shown in steps of this many milliseconds. */
const STEP = 30_000;
/** How many schedules that wait a row names. */
const MOST_NAMES = 3;

/** The failed batches that nobody has settled, with one action for each. Only that of the first is filled. */
export function Open({ onResume }: { onResume: (batch: number) => void }) {
  const { t } = useTranslation('night');
  const { query, items, count } = useOpen();
  const known = query.data !== undefined;
  return (
    <section className={styles.open} id="open" aria-labelledby="open-title" aria-busy={query.isPending}>
      <div className={styles.head}>
        <h2 id="open-title">{t('open.title')}</h2>
        {known && <span>{count > 0 ? t('open.count', { count }) : t('open.none')}</span>}
        {count > 0 && (
          <Link to="/batches" search={{ needs: 'person' }} preload={false}>
            {t('open.inList')}
          </Link>
        )}
      </div>
      {query.isPending && <Skeleton rows={1} />}
      {query.isError && !known && <ErrorNote error={query.error} retry={() => void query.refetch()} />}
      {items.length > 0 && (
        <ul className={styles.list}>
          {items.map((batch, i) => (
            <OpenRow key={batch.id} batch={batch} first={i === 0} onResume={onResume} />
          ))}
        </ul>
      )}
      {query.hasNextPage && (
        <Button className={styles.more} loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          {t('open.more', { count: count - items.length })}
        </Button>
      )}
    </section>
  );
}

interface RowProps {
  batch: OpenBatch;
  first: boolean;
  onResume: (batch: number) => void;
}

function OpenRow({ batch, first, onResume }: RowProps) {
  const { t } = useTranslation(['night', 'sentences']);
  const exact = useExact();
  const { id, schedule, moment, task } = batch;
  const error = errorText(batch, t).split('\n', 1)[0];
  return (
    <li className={styles.row} data-first={first || undefined}>
      <span className={styles.glyph}>
        <Glyph state="failed" />
      </span>
      <span className={styles.name}>
        <Link to="/batches/$id" params={{ id }} preload={false}>
          {schedule}
        </Link>
        <Moment at={moment} schedule={schedule} />
      </span>
      <Failure id={id} task={task} error={error} />
      <Since at={batch.failedAt} schedule={schedule} />
      <span className={styles.who}>
        <Waits batch={batch} />
        <Who batch={batch} />
      </span>
      <NeedsServer>
        <Button
          className={styles.action}
          variant={first ? 'filled' : 'default'}
          aria-label={t('night:open.resumeOf', { schedule, date: exact(moment) })}
          onClick={() => {
            onResume(id);
          }}
        >
          {t('night:open.resume')}
        </Button>
      </NeedsServer>
    </li>
  );
}

/** What failed. It leads to the log of the task. */
function Failure({ id, task, error }: { id: number; task?: string; error?: string }) {
  const text = (
    <>
      {error && <code title={error}>{error}</code>}
      {task && <span className={styles.task}>{task}</span>}
    </>
  );
  if (!task) return <span className={styles.error}>{text}</span>;
  return (
    <Link className={styles.error} to="/batches/$id" params={{ id }} search={{ task }} preload={false}>
      {text}
    </Link>
  );
}

function Since({ at, schedule }: { at: string; schedule: string }) {
  const { t } = useTranslation('night');
  const span = useSpan();
  const now = useClock(STEP);
  return (
    <span className={styles.since}>
      {t('open.for', { span: span(Math.max(0, Math.min(now, serverNow()) - Date.parse(at))) })}
      <Moment at={at} schedule={schedule} />
    </span>
  );
}

/** What the failure holds up: tasks of the batch, and other schedules. */
function Waits({ batch }: { batch: OpenBatch }) {
  const { t } = useTranslation('night');
  const waiting = batch.waiting ?? [];
  const skipped = batch.counts?.skipped ?? 0;
  const names = waiting.slice(0, MOST_NAMES).join(', ');
  const parts = [
    waiting.length === 0
      ? t('open.nothingWaits')
      : waiting.length > MOST_NAMES
        ? t('open.waitMore', { names, count: waiting.length - MOST_NAMES })
        : t('open.wait', { names, count: waiting.length }),
    ...(skipped > 0 ? [t('open.skipped', { count: skipped })] : []),
  ];
  return (
    <span className={styles.waits} data-some={waiting.length > 0 || undefined}>
      {parts.join(' · ')}
    </span>
  );
}

/** Who is on it, and the button to take it or to give it back. */
function Who({ batch }: { batch: OpenBatch }) {
  const { t } = useTranslation('night');
  const { data: me } = useQuery(meQuery);
  const { renew } = useRenewNight();
  const taking = useTaking({ batch: batch.id });
  const exact = useExact();
  const taker = batch.takenBy;
  const mine = taker !== undefined && taker === me?.name;
  return (
    <span className={styles.taker}>
      {taker && <span>{mine ? t('open.you') : t('open.by', { name: taker })}</span>}
      <NeedsServer>
        <button
          type="button"
          className={styles.take}
          disabled={taking.isPending}
          aria-label={t(mine ? 'open.releaseOf' : 'open.takeOf', {
            schedule: batch.schedule,
            date: exact(batch.moment),
          })}
          onClick={() => {
            taking.mutate(!mine, { onSettled: renew });
          }}
        >
          {t(mine ? 'open.release' : 'open.take')}
        </button>
      </NeedsServer>
    </span>
  );
}
