import { Button, CloseButton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Ago, CountsBar, Dialog, ErrorNote, Glyph, NeedsServer, Skeleton, useExact } from '@/ui';
import type { Backfill } from './form';
import { barCounts, doneMoments, isFinal, shownBackfill } from './progress';
import { useBackfill, useWish } from './useBackfills';
import styles from './Backfill.module.css';

/** The backfill of a list of batches, with a button that shows all batches again. */
export function BackfillOfBatches({ id, onClear }: { id: number; onClear: () => void }) {
  const { data, error, refetch } = useBackfill(id);
  if (error && !data)
    return (
      <div className={styles.alone}>
        <ErrorNote error={error} retry={() => void refetch()} />
      </div>
    );
  return (
    <div className={styles.alone}>{data ? <Strip backfill={data} onClear={onClear} /> : <Skeleton rows={1} />}</div>
  );
}

interface Props {
  backfill: Backfill;
  /** Given if the page lists the batches of this backfill. */
  onClear?: () => void;
}

/** A backfill: its state, its progress, its settings, and what a person can do. */
export function Strip({ backfill, onClear }: Props) {
  const { t } = useTranslation('backfill');
  const { id, schedule, state, createdAt, createdBy, counts, moments, note } = backfill;
  const facts = useFacts()(counts);
  const exact = useExact();
  return (
    <section className={styles.strip} aria-label={t('name', { id })}>
      <header className={styles.head}>
        <Glyph state={shownBackfill(backfill)} />
        <h2>
          {t('name', { id })}{' '}
          <Link to="/schedules/$name" params={{ name: schedule }} search={{}} preload={false}>
            {schedule}
          </Link>
        </h2>
        <span className={styles.state} data-state={shownBackfill(backfill)}>
          {t(`state.${state}`)}
        </span>
        <span className={styles.by}>
          {t('by', { who: createdBy })} <Ago at={createdAt} />
        </span>
        <span className={styles.space} />
        <Actions backfill={backfill} />
        {onClear ? (
          <CloseButton className={styles.close} aria-label={t('showAll')} title={t('showAll')} onClick={onClear} />
        ) : (
          <Link to="/batches" search={{ backfill: id }} className={styles.batches}>
            {t('batches')}
          </Link>
        )}
      </header>
      <CountsBar counts={barCounts(backfill)} height={8} />
      <p className={styles.progress} role="status">
        <b>{t('progress', { done: doneMoments(backfill), all: moments })}</b>
        {facts.map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
      </p>
      <Schedules backfill={backfill} />
      <StoppedNote backfill={backfill} />
      <p className={styles.settings}>
        <span>{t('range', { from: exact(backfill.first), to: exact(backfill.last) })}</span>
        <span>{t(`order.${backfill.order}`)}</span>
        <span>{t('atOnce', { count: backfill.parallel })}</span>
        <span>{t(`existingFact.${backfill.existing}`)}</span>
        <span>{t('revision', { n: backfill.revision })}</span>
        {note && <q>{note}</q>}
      </p>
    </section>
  );
}

/** Names the counts that are not zero. */
function useFacts() {
  const { t } = useTranslation('backfill');
  return (counts: Backfill['counts']) =>
    (['running', 'waiting', 'failed', 'canceled', 'kept', 'skipped'] as const)
      .filter((of) => counts[of] > 0)
      .map((of) => t(`count.${of}`, { n: counts[of] }));
}

/** A line for each schedule of a backfill that has several, and what it skips. */
function Schedules({ backfill: { schedules, skipped = [], counts } }: { backfill: Backfill }) {
  const { t } = useTranslation('backfill');
  const facts = useFacts();
  const exact = useExact();
  if (schedules.length < 2) return null;
  const more = counts.skipped - skipped.length;
  return (
    <>
      <ul className={styles.schedules} aria-label={t('ofSchedules')}>
        {schedules.map((of) => (
          <li key={of.schedule}>
            <Link to="/schedules/$name" params={{ name: of.schedule }} search={{}} preload={false}>
              {of.schedule}
            </Link>
            <CountsBar counts={barCounts(of)} />
            <span className={styles.progress}>
              <b>{t('progress', { done: doneMoments(of), all: of.moments })}</b>
              {facts(of.counts).map((fact) => (
                <span key={fact}>{fact}</span>
              ))}
            </span>
          </li>
        ))}
      </ul>
      {skipped.length > 0 && (
        <ul className={styles.lines}>
          {skipped.map(({ schedule, moment, upstream, upstreamMoment, batch }) => (
            <li key={`${schedule} ${moment}`}>
              {t('skippedMoment', {
                schedule,
                moment: exact(moment),
                upstream,
                upstreamMoment: exact(upstreamMoment),
              })}{' '}
              {batch !== undefined && (
                <Link to="/batches/$id" params={{ id: batch }} preload={false}>
                  #{batch}
                </Link>
              )}
            </li>
          ))}
          {more > 0 && <li>{t('skippedMore', { count: more })}</li>}
        </ul>
      )}
    </>
  );
}

/** Why the backfill has stopped, and how it goes on. */
function StoppedNote({ backfill: { stoppedBy } }: { backfill: Backfill }) {
  const { t } = useTranslation('backfill');
  if (stoppedBy === undefined) return null;
  return (
    <p className={styles.stopped}>
      <Link to="/batches/$id" params={{ id: stoppedBy }} preload={false}>
        {t('stoppedBatch', { id: stoppedBy })}
      </Link>{' '}
      {t('stoppedHint')}
    </p>
  );
}

/** The buttons that pause, continue and cancel. */
function Actions({ backfill }: { backfill: Backfill }) {
  const { t } = useTranslation('backfill');
  const wish = useWish(backfill.id);
  const [asks, setAsks] = useState(false);
  if (isFinal(backfill)) return null;
  const goes = backfill.state === 'running';
  return (
    <>
      <NeedsServer>
        <Button
          loading={wish.isPending && wish.variables !== 'cancel'}
          onClick={() => {
            wish.mutate(goes ? 'pause' : 'run');
          }}
        >
          {t(goes ? 'pause' : 'continue')}
        </Button>
      </NeedsServer>
      <NeedsServer>
        <Button
          onClick={() => {
            setAsks(true);
          }}
        >
          {t('cancel')}
        </Button>
      </NeedsServer>
      {wish.error && <ErrorNote error={wish.error} />}
      {asks && (
        <Dialog
          opened
          onClose={() => {
            setAsks(false);
          }}
          title={t('cancelTitle', { id: backfill.id })}
          footer={
            <>
              <Button
                onClick={() => {
                  setAsks(false);
                }}
              >
                {t('cancelNot')}
              </Button>
              <Button
                variant="filled"
                onClick={() => {
                  setAsks(false);
                  wish.mutate('cancel');
                }}
              >
                {t('cancelNow')}
              </Button>
            </>
          }
        >
          <p>{t('cancelHint', { count: backfill.counts.running })}</p>
        </Dialog>
      )}
    </>
  );
}
