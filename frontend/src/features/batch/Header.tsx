import { Tooltip } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import { memo, type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Batch } from '@/live';
import { CountsBar, Glyph, type ShownState, useExact, useNow, useTook, ZoneMenu } from '@/ui';
import { Zones } from '@/ui/Moment';
import { elapsed, mood, type Summary } from './summary';
import { useFate } from './useFate';
import styles from './Header.module.css';

/** The glyphs of moods that are not states. */
const GLYPHS = { paused: 'paused', canceling: 'canceled', stuck: 'failed', closed: 'failed' } as const;

interface Props {
  batch: Batch;
  /** The server no longer has the batch. */
  deleted: boolean;
  /** The definition is loading. The moment is hidden until the zone is known. */
  loading?: boolean;
  summary: Summary;
  /** The batches around this one, on a phone. A wider screen has them beside the tabs. */
  links?: ReactNode;
  children?: ReactNode;
}

/** The name, state and progress of a batch. Its actions are the children. */
export function Header({ batch, deleted, loading, summary, links, children }: Props) {
  const { t } = useTranslation('batch');
  const currentMood = mood(batch);
  const hasEnded = useHasEnded(batch.live);
  const glyph = currentMood in GLYPHS ? GLYPHS[currentMood as keyof typeof GLYPHS] : (currentMood as Batch['state']);
  return (
    <header className={styles.header}>
      <div className={styles.row}>
        <Breadcrumb batch={batch} deleted={deleted} loading={loading} />
        <span className={styles.chip} data-state={glyph} data-mood={currentMood}>
          <Glyph state={glyph} size={13} bare />
          {t(`mood.${currentMood}`)}
        </span>
        <span className={styles.bar} data-ended={hasEnded || undefined}>
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
        {links}
        <span className={styles.space} />
        {children}
      </div>
    </header>
  );
}

/** Whether the batch has ended while the page is open. */
function useHasEnded(live: boolean): boolean {
  const [now, setNow] = useState({ live, ended: false });
  if (now.live !== live) setNow({ live, ended: !live });
  return now.ended;
}

/** The way to the batch. It does not render again with the states of the runs. */
const Breadcrumb = memo(function Breadcrumb(props: Pick<Props, 'batch' | 'deleted' | 'loading'>) {
  const { batch, deleted, loading } = props;
  const fate = useFate(batch, deleted);
  const exact = useExact();
  const { t } = useTranslation('batch');
  const first = batch.tasks[0];
  const created = t('made', {
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
          {deleted && fate !== 'expired' ? (
            <span>{batch.schedule}</span>
          ) : (
            <Link to="/schedules/$name" params={{ name: batch.schedule }} search={{}}>
              {batch.schedule}
            </Link>
          )}
        </>
      ) : (
        <>
          <Link to="/batches">{t('batches')}</Link>
          <i aria-hidden="true" />
          {batch.hook && !deleted ? (
            <Link to="/batches/$id" params={{ id: batch.hook.batch }}>
              {t('hooks.follows', { id: batch.hook.batch })}
            </Link>
          ) : (
            <span>{first?.key}</span>
          )}
        </>
      )}
      <i aria-hidden="true" />
      <Tooltip
        multiline
        maw={420}
        label={
          <>
            <Zones at={batch.moment} />
            {created}
          </>
        }
      >
        <h1 style={loading ? { visibility: 'hidden' } : undefined}>
          <time dateTime={batch.moment}>{exact(batch.moment)}</time>
        </h1>
      </Tooltip>
      {!loading && (
        <span className={styles.zone}>
          <ZoneMenu short at={batch.moment} />
        </span>
      )}
      <span className={styles.id}>{t('id', { id: batch.id })}</span>
      {batch.backfill !== undefined && !deleted && (
        <Link to="/batches" search={{ backfill: batch.backfill }}>
          {t('backfill', { id: batch.backfill })}
        </Link>
      )}
    </nav>
  );
});

/**
 * `8 of 11 done · 03:39 of about 05:10`, or `8 of 11 succeeded · 03:39` at the end. Only this component renders again
 * with each tick of the clock.
 */
function Progress({ batch, summary, t }: { batch: Batch; summary: Summary; t: TFunction<'batch'> }) {
  const now = useNow();
  const took = useTook();
  const ms = elapsed(batch, now);
  const usual = batch.live && batch.round === 1 ? batch.usualSeconds : undefined;
  return (
    <>
      <span>{progressText(batch, summary, t)}</span>
      {ms !== undefined && (
        <span>
          {usual ? t('elapsedOf', { time: took(ms, batch.live), usual: took(usual * 1000) }) : took(ms, batch.live)}
        </span>
      )}
    </>
  );
}

/** How far the batch is, and of one that has ended, how many of its tasks succeeded. */
function progressText({ live }: Batch, { done, total, counts }: Summary, t: TFunction<'batch'>): string {
  return live ? t('done', { done, count: total }) : t('succeeded', { n: counts.succeeded ?? 0, count: total });
}

/** The characters before the title of the browser tab. */
const TITLE_SIGNS: Partial<Record<ShownState, string>> = {
  failed: '✕',
  succeeded: '✓',
  running: '▶',
  queued: '…',
  canceled: '■',
};
/** The SVG paths of the icons of the browser tab, in a square of 16. */
const ICON_PATHS: Partial<Record<ShownState, string>> = {
  failed: 'M5 5l6 6M11 5l-6 6',
  succeeded: 'M4.5 8.5l2.3 2.3 4.7-5.2',
  running: 'M6.4 5l4.6 3-4.6 3z',
  queued: 'M4.9 8h.1M8 8h.1M11.1 8h.1',
  canceled: 'M5.5 5.5h5v5h-5z',
};

/** Shows a state in the browser tab: a sign before the title, and an icon in the colour of the state. */
export function useTabState(title: string, state: ShownState): void {
  useEffect(() => {
    const before = document.title;
    document.title = [TITLE_SIGNS[state], title].filter(Boolean).join(' ');
    return () => {
      document.title = before;
    };
  }, [title, state]);
  useEffect(() => {
    const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
    if (!link) return undefined;
    const before = link.href;
    link.href = iconOf(
      state,
      getComputedStyle(document.documentElement)
        .getPropertyValue(`--${state === 'queued' ? 'waiting' : state}`)
        .trim(),
    );
    return () => {
      link.href = before;
    };
  }, [state]);
}

/** The icon of a state as a data URL. */
function iconOf(state: ShownState, colour: string): string {
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">` +
    `<path d="M8 .5l6.5 3.75v7.5L8 15.5l-6.5-3.75v-7.5z" fill="${colour}"/>` +
    `<path d="${ICON_PATHS[state] ?? ''}" fill="none" stroke="#fff" stroke-width="2" ` +
    `stroke-linecap="round" stroke-linejoin="round"/></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
