import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import styles from './Scheduling.module.css';

/** What the params of an attempt were rendered to. Nothing if they hold no expression. */
export function SentParams({ params }: { params?: Schemas['Attempt']['params'] }) {
  const { t } = useTranslation('task');
  if (!params) return null;
  return (
    <details className={styles.details}>
      <summary>{t('sent.params')}</summary>
      <dl className={styles.params}>
        {Object.entries(params).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <code>{typeof value === 'string' ? value : JSON.stringify(value, null, 2)}</code>
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
