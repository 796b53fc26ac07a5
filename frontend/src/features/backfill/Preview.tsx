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
  const { moments, existing, kept, expectedSeconds } = preview;
  const runs = moments - kept;
  return (
    <div className={styles.preview} role="status">
      <p>
        <b>{t('dialog.moments', { count: moments })}</b>{' '}
        {t('dialog.between', { from: exact(preview.first, { zone }), to: exact(preview.last, { zone }), zone })}
      </p>
      {existing > 0 && <p>{t('dialog.existingCount', { count: existing, kept, again: existing - kept })}</p>}
      <p>
        {runs === 0
          ? t('dialog.nothing')
          : expectedSeconds === undefined
            ? t('dialog.unknownSpan', { count: runs })
            : t('dialog.expected', { count: runs, span: span(expectedSeconds * 1000), parallel })}
      </p>
    </div>
  );
}
