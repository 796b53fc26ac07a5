import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { memo, type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, data } from '@/api/client';
import { errorText, translateSentence } from '@/api/problem';
import { keys } from '@/api/queries';
import { type Batch, type TaskRun, useLive, useLiveStatus } from '@/live';
import { Ago, reasonText, useExact, useTaskName } from '@/ui';
import { mood, type Summary } from './summary';
import { Taker } from './Taker';
import { useFate } from './useFate';
import styles from './Notice.module.css';

/** How many failed tasks the notice names. */
const MAX_NAMED = 4;

/** The most important fact about the batch: its failures, or why it does not run. Renders nothing if there is none. */
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
  // The notice of a canceled batch contains this reason.
  const why =
    batch.reason && batch.reason !== 'batch_canceled' ? reasonText({ state: 'canceled', reason: batch.reason }, t) : '';
  const failures = summary.failed.length + summary.held.length > 0 && (
    <Failures batch={batch} summary={summary} onSelect={onSelect} />
  );
  switch (mood(batch)) {
    case 'stuck':
      return (
        <Strip tone="bad">
          <b>{t('notice.stuck')}</b> {translateSentence(batch.stuck ?? '', batch.stuckReason, t)}
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
          {failures}
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
      if (failures) return failures;
      return batch.state === 'failed' ? (
        <Strip tone="bad">
          <b>{t('notice.failed')}</b> {why}
          <Taker batch={batch.id} />
        </Strip>
      ) : null;
  }
}

/** A notice across the page. With a label, it is a region. */
export function Strip({ tone, label, children }: { tone: 'bad' | 'calm'; label?: string; children: ReactNode }) {
  return (
    <section className={styles.strip} data-tone={tone} aria-label={label}>
      <div>{children}</div>
    </section>
  );
}

/** `1 task failed, 2 wait for it.`, and links to the failed tasks. */
function Failures({ batch, summary, onSelect }: { batch: Batch; summary: Summary; onSelect: (task: string) => void }) {
  const { t } = useTranslation('batch');
  const named = [...summary.failed, ...summary.held];
  return (
    <Strip tone="bad">
      <p>
        <b>{failuresText(summary, t as never)}</b>
        {batch.live && batch.wish === 'run' && ` ${t('notice.goesOn')}`}
      </p>
      <p className={styles.names}>
        {named.slice(0, MAX_NAMED).map((run) => (
          <FailedTask key={run.key} run={run} onSelect={onSelect} />
        ))}
        {named.length > MAX_NAMED && (
          <Link from="/batches/$id" to="." search={(s) => ({ ...s, view: 'table', only: 'failed' })}>
            {t('notice.others', { count: named.length - MAX_NAMED })}
          </Link>
        )}
      </p>
      {(batch.state === 'failed' || summary.held.length > 0) && <Taker batch={batch.id} />}
    </Strip>
  );
}

/** The number of failed, held and blocked tasks, as one sentence. */
function failuresText(
  summary: Pick<Summary, 'failed' | 'held' | 'blocked'>,
  t: (key: string, values?: object) => string,
): string {
  const several = summary.failed.length + summary.held.length > 1;
  const parts = [
    summary.failed.length > 0 ? t('notice.nFailed', { count: summary.failed.length }) : '',
    summary.held.length > 0 ? t('notice.nHeld', { count: summary.held.length }) : '',
    summary.blocked.length > 0
      ? t('notice.nSkipped', { count: summary.blocked.length, context: several ? 'several' : undefined })
      : '',
  ];
  return t('notice.sentence', { parts: parts.filter(Boolean).join(t('notice.comma')) });
}

function FailedTask({ run, onSelect }: { run: TaskRun; onSelect: (task: string) => void }) {
  const { t } = useTranslation('states');
  const name = useTaskName(run.key);
  const cause = errorText(run, t) || reasonText(run, t);
  return (
    <button
      type="button"
      title={run.key}
      onClick={() => {
        onSelect(run.key);
      }}
    >
      <span>{name}</span>
      {cause && <small>{cause}</small>}
    </button>
  );
}

/** The batches that a queued batch waits for. */
function Queued({ batch }: { batch: Batch }) {
  const { t } = useTranslation('batch');
  const { data: list } = useQuery({
    queryKey: [...keys.batches, 'ahead', batch.schedule],
    queryFn: () =>
      data(api.GET('/api/v1/batches', { params: { query: { schedule: batch.schedule, live: true, limit: 50 } } })),
    enabled: batch.schedule !== '' && batch.reason === 'queued',
    refetchInterval: 15_000,
  });
  const earlier = (list?.items ?? []).filter((b) => b.id !== batch.id && (b.id < batch.id || b.state === 'running'));
  return (
    <Strip tone="calm">
      <b>{earlier.length > 0 ? t('notice.queuedBehind') : t('notice.queued')}</b>{' '}
      {earlier.map((b) => (
        <Link key={b.id} to="/batches/$id" params={{ id: b.id }} search={{}} className={styles.link}>
          {t('id', { id: b.id })}
        </Link>
      ))}
    </Strip>
  );
}

/** Reports that the batch has been deleted while its page is open, why as far as known, and leads to what is there. */
export function Deleted({ batch }: { batch: Batch }) {
  const { t } = useTranslation('batch');
  const { schedule } = batch;
  const fate = useFate(batch, true);
  return (
    <div role="status">
      <Strip tone="calm">
        <p>
          <b>{t('deleted.title')}</b> {fate && t(`deleted.${fate}`, { schedule })} {t('deleted.shown')}
        </p>
        {fate === 'expired' ? (
          <Link to="/schedules/$name/runs" params={{ name: schedule }} search={{}}>
            {t('deleted.runs', { schedule })}
          </Link>
        ) : (
          <Link to="/batches">{t('missing.home')}</Link>
        )}
      </Strip>
    </div>
  );
}

/** Shorter interruptions of the connection are not reported (milliseconds). */
const MIN_INTERRUPTION = 1500;

/** Warns that the page is out of date while the connection is interrupted. */
export const Stale = memo(function Stale() {
  const { t } = useTranslation('batch');
  const exact = useExact();
  const socket = useLive();
  const offline = useLiveStatus() === 'offline';
  const [shown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(
      () => {
        setShown(offline);
      },
      offline ? MIN_INTERRUPTION : 0,
    );
    return () => {
      clearTimeout(timer);
    };
  }, [offline]);
  const lastHeard = socket.lastHeard();
  return (
    <div role="status" aria-live="polite">
      {shown && offline && (
        <Strip tone="calm">
          <p>
            <b>
              {lastHeard ? t('stale.since', { at: exact(lastHeard, { seconds: true }).slice(11) }) : t('stale.never')}
            </b>{' '}
            {t('stale.detail')}
          </p>
          <Button size="compact-sm" onClick={socket.retryNow}>
            {t('stale.now')}
          </Button>
        </Strip>
      )}
    </div>
  );
});

/** Announces changes of the state of the batch, and new failures, to screen readers. */
export function Announcer({ batch, summary }: { batch: Batch; summary: Summary }) {
  const { t } = useTranslation('batch');
  const state = mood(batch);
  const failures = summary.failed.length + summary.held.length;
  const before = useRef({ state, failures });
  const [text, setText] = useState('');
  useEffect(() => {
    const previous = before.current;
    before.current = { state, failures };
    if (previous.state === state && failures <= previous.failures) return;
    const failureText = failures > 0 ? failuresText(summary, t as never) : '';
    setText(
      [previous.state === state ? '' : t('announce', { state: t(`mood.${state}`) }), failureText]
        .filter(Boolean)
        .join(' '),
    );
  }, [state, failures, summary, t]);
  return (
    <div className="hg-visually-hidden" role="status" aria-live="polite">
      {text}
    </div>
  );
}
