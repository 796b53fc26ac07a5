import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import styles from './Scheduling.module.css';

/** The name under which the server counts the params that it leaves out. */
const OMITTED = '…';

/** What the params of an attempt were rendered to. Nothing if they hold no expression. */
export function SentParams({ params }: { params?: Schemas['Attempt']['params'] }) {
  const { t } = useTranslation('task');
  if (!params) return null;
  const { [OMITTED]: omitted, ...rest } = params;
  return (
    <details className={styles.details}>
      <summary>{t('sent.params')}</summary>
      <dl className={styles.params}>
        {Object.entries(rest).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <code>{typeof value === 'string' ? value : JSON.stringify(value, null, 2)}</code>
            </dd>
          </div>
        ))}
      </dl>
      {typeof omitted === 'number' && <p>{t('sent.omitted', { count: omitted })}</p>}
    </details>
  );
}
