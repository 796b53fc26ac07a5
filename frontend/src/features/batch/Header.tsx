import { Tooltip } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Batch } from '@/live';
import { CountsBar, exact, Glyph, isElsewhere, useNow, useTook } from '@/ui';
import { elapsed, mood, type Summary } from './summary';
import styles from './Header.module.css';

/** What the state chip says: the state, or what people want of the batch. */
const GLYPHS = { paused: 'paused', canceling: 'canceled', stuck: 'failed', closed: 'failed' } as const;

interface Props {
  batch: Batch;
  /** Of the schedule, by its definition. */
  zone?: string;
  /** The definition is on its way: the moment is shown when its zone is known, not in one zone and then in another. */
  early?: boolean;
  summary: Summary;
  children?: ReactNode;
}

/** Which batch this is, how it stands, and what can be done with it. */
export function Header({ batch, zone, early, summary, children }: Props) {
  const { t } = useTranslation('batch');
  const now = mood(batch);
  const shown = now in GLYPHS ? GLYPHS[now as keyof typeof GLYPHS] : (now as Batch['state']);
  return (
    <header className={styles.header}>
      <Breadcrumb batch={batch} zone={zone} early={early} />
      <span className={styles.chip} data-state={shown} data-mood={now}>
        <Glyph state={shown} size={13} bare />
        {t(`mood.${now}`)}
      </span>
      <span className={styles.bar}>
        <CountsBar counts={summary.counts} />
      </span>
      <span className={styles.meta}>
        <Progress batch={batch} summary={summary} t={t} />
        {batch.round > 1 && (
          <Link from="/batches/$id" to="." search={(s) => ({ ...s, view: 'history' })}>
            {t('round', { n: batch.round })}
          </Link>
        )}
        {batch.revision > 0 && (
          <Tooltip label={t('revisionHint', { n: batch.revision })}>
            <Link
              from="/batches/$id"
              to="."
              search={(s) => ({ ...s, view: 'params' })}
            >{`v${String(batch.revision)}`}</Link>
          </Tooltip>
        )}
      </span>
      <span className={styles.space} />
      {children}
    </header>
  );
}

function Breadcrumb({ batch, zone, early }: Pick<Props, 'batch' | 'zone' | 'early'>) {
  const { t } = useTranslation('batch');
  const first = batch.tasks[0];
  const made = t('made', {
    kind: t(`kind.${batch.kind}`),
    by: batch.createdBy,
    at: exact(batch.createdAt, { seconds: true }),
  });
  return (
    <nav className={styles.crumbs} aria-label={t('breadcrumb')}>
      {batch.schedule ? (
        <>
          <Link to="/">{t('schedules')}</Link>
          <i aria-hidden="true" />
          <Link to="/schedules/$name" params={{ name: batch.schedule }} search={{}}>
            {batch.schedule}
          </Link>
        </>
      ) : (
        <>
          <Link to="/batches">{t('batches')}</Link>
          <i aria-hidden="true" />
          <span>{first?.key}</span>
        </>
      )}
      <i aria-hidden="true" />
      <Tooltip
        multiline
        maw={420}
        label={<span className={styles.lines}>{[momentWords(batch.moment, zone, t), made].join('\n')}</span>}
      >
        <h1 style={early ? { visibility: 'hidden' } : undefined}>
          <time dateTime={batch.moment}>{exact(batch.moment, { zone })}</time>
        </h1>
      </Tooltip>
      {isElsewhere(batch.moment, zone) && <span className={styles.zone}>{zone}</span>}
      <span className={styles.id}>{t('id', { id: batch.id })}</span>
    </nav>
  );
}

function momentWords(moment: string, zone: string | undefined, t: TFunction<'batch'>): string {
  return t('moment', {
    at: exact(moment, { zone, seconds: true }),
    zone: zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
  });
}

/** `8 of 11 done · 03:39 of about 05:10`; the clock ticks here, so that the rest need not. */
function Progress({ batch, summary, t }: { batch: Batch; summary: Summary; t: TFunction<'batch'> }) {
  const now = useNow();
  const took = useTook();
  const ms = elapsed(batch, now);
  const usual = batch.live && batch.round === 1 ? batch.usualSeconds : undefined;
  return (
    <>
      <span>{t('done', { done: summary.done, count: summary.total })}</span>
      {ms !== undefined && (
        <span>
          {usual ? t('elapsedOf', { time: took(ms, batch.live), usual: took(usual * 1000) }) : took(ms, batch.live)}
        </span>
      )}
    </>
  );
}
