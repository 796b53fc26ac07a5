import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { ErrorNote, exact, useSpan } from '@/ui';
import styles from './Backfill.module.css';

interface PreviewProps {
  preview?: Schemas['BackfillPreview'];
  /** Why there is none, or why the backfill was refused. */
  error: unknown;
  zone: string;
  parallel: string;
}

/** What the backfill would do: how many moments and batches, and how long. */
export function Preview({ preview, error, zone, parallel }: PreviewProps) {
  const { t } = useTranslation('backfill');
  const span = useSpan();
  if (error) return <ErrorNote error={error} />;
  if (!preview) return <p className={styles.preview} />;
  const { moments, kept, expectedSeconds, schedules, leftOut } = preview;
  const runs = moments - kept;
  const wide = schedules.length > 1;
  return (
    <div className={styles.preview} role="status">
      {wide ? (
        <ul className={styles.lines} aria-label={t('dialog.perSchedule')}>
          {schedules.map((of) => (
            <li key={of.schedule}>
              <b>{of.schedule}</b> <Moments of={of} zone={zone} />
            </li>
          ))}
        </ul>
      ) : (
        schedules.map((of) => <Moments key={of.schedule} of={of} zone={zone} />)
      )}
      {leftOut.map(({ schedule, reason }) => (
        <p key={schedule}>{t('dialog.leftOut', { schedule, reason: t(`dialog.leftOutOf.${reason}`) })}</p>
      ))}
      <p>
        {runs === 0
          ? t('dialog.nothing')
          : expectedSeconds === undefined
            ? t(wide ? 'dialog.unknownWide' : 'dialog.unknownSpan', { count: runs })
            : t('dialog.expected', { count: runs, span: span(expectedSeconds * 1000), parallel })}
      </p>
    </div>
  );
}

/** The moments of one schedule, and those that have a batch. */
function Moments({ of, zone }: { of: Schemas['BackfillPreviewSchedule']; zone: string }) {
  const { t } = useTranslation('backfill');
  const { moments, first, last, existing, kept } = of;
  return (
    <>
      <p>
        <b>{t('dialog.moments', { count: moments })}</b>{' '}
        {t('dialog.between', { from: exact(first, { zone }), to: exact(last, { zone }), zone })}
      </p>
      {existing > 0 && <p>{t('dialog.existingCount', { count: existing, kept, again: existing - kept })}</p>}
    </>
  );
}
