import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, data } from '@/api/client';
import { errorText } from '@/api/problem';
import { keys } from '@/api/queries';
import { type Batch, type TaskRun, useLive, useLiveStatus } from '@/live';
import { Ago, exact, reasonText, useTaskName } from '@/ui';
import { mood, type Summary } from './summary';
import styles from './Notice.module.css';

/** How many of the failed tasks the notice names. */
const NAMED = 4;

/**
 * The most important fact about the batch: which failures wait for a decision, or why the batch does not go on. Shows
 * nothing if all is well.
 */
export function Notice({
  batch,
  summary,
  onSelect,
}: {
  batch: Batch;
  summary: Summary;
  onSelect: (task: string) => void;
}) {
  const { t } = useTranslation(['batch', 'states']);
  // That it was canceled is said already.
  const why =
    batch.reason && batch.reason !== 'batch_canceled' ? reasonText({ state: 'canceled', reason: batch.reason }, t) : '';
  const trouble = summary.failed.length + summary.held.length > 0 && (
    <Trouble batch={batch} summary={summary} onSelect={onSelect} />
  );
  switch (mood(batch)) {
    case 'stuck':
      return (
        <Strip tone="bad">
          <b>{t('notice.stuck')}</b> {batch.stuck}
        </Strip>
      );
    case 'queued':
      return <Queued batch={batch} />;
    case 'canceling':
      return (
        <Strip tone="calm">
          <b>{t('notice.canceling')}</b>
        </Strip>
      );
    case 'paused':
      return (
        <>
          <Strip tone="calm">
            <b>{t('notice.paused')}</b> {batch.pausedAt && <Ago at={batch.pausedAt} />}
          </Strip>
          {trouble}
        </>
      );
    case 'canceled':
      return (
        <Strip tone="calm">
          <b>{t('notice.canceled')}</b> {why}
        </Strip>
      );
    case 'closed':
      return (
        <Strip tone="calm">
          <b>{t('notice.closed')}</b> {batch.closedNote}
        </Strip>
      );
    default:
      if (trouble) return trouble;
      return batch.state === 'failed' ? (
        <Strip tone="bad">
          <b>{t('notice.failed')}</b> {why}
        </Strip>
      ) : null;
  }
}

function Strip({ tone, children }: { tone: 'bad' | 'calm'; children: ReactNode }) {
  return (
    <section className={styles.strip} data-tone={tone}>
      <div>{children}</div>
    </section>
  );
}

/** `1 task failed, 2 wait for it.` and the names, which lead to the logs. */
function Trouble({ batch, summary, onSelect }: { batch: Batch; summary: Summary; onSelect: (task: string) => void }) {
  const { t } = useTranslation('batch');
  const named = [...summary.failed, ...summary.held];
  return (
    <Strip tone="bad">
      <p>
        <b>{troubleText(summary, t as never)}</b>
        {batch.live && batch.wish === 'run' && ` ${t('notice.goesOn')}`}
      </p>
      <p className={styles.names}>
        {named.slice(0, NAMED).map((run) => (
          <Culprit key={run.key} run={run} onSelect={onSelect} />
        ))}
        {named.length > NAMED && (
          <Link from="/batches/$id" to="." search={(s) => ({ ...s, view: 'table', only: 'failed' })}>
            {t('notice.others', { count: named.length - NAMED })}
          </Link>
        )}
      </p>
    </Strip>
  );
}

/** What failed and what waits for it, as one sentence. */
function troubleText(
  summary: Pick<Summary, 'failed' | 'held' | 'blocked'>,
  t: (key: string, values?: object) => string,
): string {
  const parts = [
    summary.failed.length > 0 ? t('notice.nFailed', { count: summary.failed.length }) : '',
    summary.held.length > 0 ? t('notice.nHeld', { count: summary.held.length }) : '',
    summary.blocked.length > 0 ? t('notice.nWait', { count: summary.blocked.length }) : '',
  ];
  return t('notice.sentence', { parts: parts.filter(Boolean).join(t('notice.comma')) });
}

function Culprit({ run, onSelect }: { run: TaskRun; onSelect: (task: string) => void }) {
  const { t } = useTranslation('states');
  const name = useTaskName(run.key);
  const words = errorText(run, t) || reasonText(run, t);
  return (
    <button
      type="button"
      title={run.key}
      onClick={() => {
        onSelect(run.key);
      }}
    >
      <span>{name}</span>
      {words && <small>{words}</small>}
    </button>
  );
}

/** Which batches go first. */
function Queued({ batch }: { batch: Batch }) {
  const { t } = useTranslation('batch');
  const { data: list } = useQuery({
    queryKey: [...keys.batches, 'ahead', batch.schedule],
    queryFn: () =>
      data(api.GET('/api/v1/batches', { params: { query: { schedule: batch.schedule, live: true, limit: 50 } } })),
    enabled: batch.schedule !== '' && batch.reason === 'queued',
    refetchInterval: 15_000,
  });
  const ahead = (list?.items ?? []).filter((b) => b.id !== batch.id && (b.id < batch.id || b.state === 'running'));
  return (
    <Strip tone="calm">
      <b>{ahead.length > 0 ? t('notice.queuedBehind') : t('notice.queued')}</b>{' '}
      {ahead.map((b) => (
        <Link key={b.id} to="/batches/$id" params={{ id: b.id }} search={{}} className={styles.link}>
          {t('id', { id: b.id })}
        </Link>
      ))}
    </Strip>
  );
}

/**
 * How long (milliseconds) the connection must be gone before the page says so; short interruptions are not reported.
 */
const BLIP = 1500;

/** Says that what is shown is old, as long as the connection is away. */
export function Stale() {
  const { t } = useTranslation('batch');
  const socket = useLive();
  const away = useLiveStatus() === 'offline';
  const [shown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(
      () => {
        setShown(away);
      },
      away ? BLIP : 0,
    );
    return () => {
      clearTimeout(timer);
    };
  }, [away]);
  const heard = socket.lastHeard();
  return (
    <div role="status" aria-live="polite">
      {shown && away && (
        <Strip tone="calm">
          <p>
            <b>{heard ? t('stale.since', { at: exact(heard, { seconds: true }).slice(11) }) : t('stale.never')}</b>{' '}
            {t('stale.detail')}
          </p>
          <Button size="compact-sm" onClick={socket.retryNow}>
            {t('stale.now')}
          </Button>
        </Strip>
      )}
    </div>
  );
}

/** Tells screen readers, politely, what becomes of the batch and what fails; not every task. */
export function Announcer({ batch, summary }: { batch: Batch; summary: Summary }) {
  const { t } = useTranslation('batch');
  const state = mood(batch);
  const bad = summary.failed.length + summary.held.length;
  const before = useRef({ state, bad });
  const [words, setWords] = useState('');
  useEffect(() => {
    const was = before.current;
    before.current = { state, bad };
    if (was.state === state && bad <= was.bad) return;
    const trouble = bad > 0 ? troubleText(summary, t as never) : '';
    setWords(
      [was.state === state ? '' : t('announce', { state: t(`mood.${state}`) }), trouble].filter(Boolean).join(' '),
    );
  }, [state, bad, summary, t]);
  return (
    <div className="hg-visually-hidden" role="status" aria-live="polite">
      {words}
    </div>
  );
}
