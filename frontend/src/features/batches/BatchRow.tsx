import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import {
  Ago,
  CountsBar,
  doneCount,
  Moment,
  NeedsServer,
  Row,
  shownBatch,
  StateChip,
  totalCount,
  useNow,
  useSpan,
} from '@/ui';
import { type Batch, durationOf, paceOf } from './list';
import styles from './Batches.module.css';

/** The row of a batch: its state, its schedule, its progress, its start and its duration. */
export const BatchRow = memo(function BatchRow({
  batch,
  onResume,
}: {
  batch: Batch;
  onResume: (batch: number) => void;
}) {
  const { t } = useTranslation('batches');
  const { id, schedule, state, counts = {} } = batch;
  const reason = useReason(batch);
  const started = batch.roundAt ?? batch.startedAt;
  return (
    <Row className={styles.row}>
      <td className={styles.state}>
        <StateChip state={shownBatch(batch)} />
        {reason && (
          <span className={styles.reason} title={reason}>
            {reason}
          </span>
        )}
      </td>
      <th scope="row" className={styles.name}>
        <Link to="/batches/$id" params={{ id }} preload={false} className={styles.link}>
          <b>{schedule || t('oneTask')}</b> <Moment at={batch.moment} schedule={schedule} />
        </Link>
        <Facts batch={batch} />
      </th>
      <td className={styles.progress}>
        <CountsBar counts={counts} />
        {totalCount(counts) > 0 && (
          <small>{t('progress', { done: doneCount(counts, state), all: totalCount(counts) })}</small>
        )}
      </td>
      <td className={styles.started}>
        {started ? <Ago at={started} /> : <span className={styles.quiet}>{t('notStarted')}</span>}
      </td>
      <td className={styles.duration}>
        <BatchDuration batch={batch} />
      </td>
      <td className={styles.actions}>
        {state === 'failed' && batch.closedNote === undefined && (
          <NeedsServer>
            <Button
              onClick={() => {
                onResume(id);
              }}
              aria-label={t('resumeOf', { id })}
            >
              {t('resume')}
            </Button>
          </NeedsServer>
        )}
      </td>
    </Row>
  );
});

/** The number of a batch, what made it, its revision and its round. */
function Facts({ batch: { id, kind, revision, round, createdBy, backfill } }: { batch: Batch }) {
  const { t } = useTranslation('batches');
  const facts: string[] = [];
  if (backfill === undefined)
    facts.push(
      kind === 'scheduled' || kind === 'backfill' || kind === 'dependent' || !createdBy
        ? t(`kind.${kind}`)
        : t(`kindBy.${kind}`, { who: createdBy }),
    );
  if (revision > 0) facts.push(t('revision', { n: revision }));
  if (round > 1) facts.push(t('round', { n: round }));
  return (
    <small>
      {t('number', { id })}
      {backfill !== undefined && (
        <>
          {' · '}
          <Link to="/batches" search={{ backfill }}>
            {t('backfill', { id: backfill })}
          </Link>
        </>
      )}
      {facts.length > 0 && ` · ${facts.join(' · ')}`}
    </small>
  );
}

/** The duration of a batch. It updates every second while the batch is live. */
function BatchDuration({ batch }: { batch: Batch }) {
  return batch.live ? <LiveDuration batch={batch} /> : <Duration batch={batch} now={0} />;
}

function LiveDuration({ batch }: { batch: Batch }) {
  return <Duration batch={batch} now={useNow()} />;
}

function Duration({ batch, now }: { batch: Batch; now: number }) {
  const { t } = useTranslation('batches');
  const span = useSpan();
  const ms = durationOf(batch, now);
  if (ms === undefined) return null;
  const usual = batch.usualSeconds;
  return (
    <>
      {span(ms)}
      {usual !== undefined && (
        <small data-pace={paceOf(ms, usual)}>
          {t(paceOf(ms, usual) ? 'slow' : 'usual', { span: span(usual * 1000) })}
        </small>
      )}
    </>
  );
}

/** Why the batch is in its state; empty if the state explains itself. */
function useReason({ state, wish, reason, closedNote, counts = {} }: Batch): string {
  const { t } = useTranslation('batches');
  if (closedNote !== undefined) return closedNote ? t('reason.closedNote', { note: closedNote }) : t('reason.closed');
  if (state === 'running' && wish === 'cancel') return t('reason.wish_cancel');
  if (state === 'running' && wish === 'pause') return '';
  if (reason) return String(t(`reason.${reason}` as never, { defaultValue: reason } as never));
  const failed = counts.failed ?? 0;
  return failed > 0 && state !== 'succeeded' ? t('reason.tasks', { count: failed }) : '';
}
