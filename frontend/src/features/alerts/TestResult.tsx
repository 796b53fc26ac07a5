import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { ErrorNote } from '@/ui';
import styles from './Alerts.module.css';

/** What became of a test message: what its service answered, or why it was not sent. */
export function TestResult({ error, result }: { error: unknown; result?: Schemas['ChannelTest'] }) {
  const { t } = useTranslation('alerts');
  return (
    <>
      {error !== null && <ErrorNote error={error} scrollIntoView />}
      <div role="status">
        {result && (
          <p
            ref={(note) => {
              note?.scrollIntoView({ block: 'nearest' });
            }}
            className={styles.answer}
            data-state={result.sent ? 'sent' : 'failed'}
          >
            <b>{t(result.sent ? 'test.sent' : 'test.failed')}</b> {result.detail}
          </p>
        )}
      </div>
    </>
  );
}
