import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { waitReasonText } from '@/ui';
import styles from './Scheduling.module.css';

/** Why an attempt went to its executor: the route, and the executors as they were then. Nothing without a record. */
export function Scheduling({ scheduling: s, chosen }: { scheduling?: Schemas['Scheduling']; chosen: string }) {
  const { t } = useTranslation(['task', 'inspector']);
  if (!s) return null;
  const route = t(`inspector:route.${s.route}`, { defaultValue: s.route });
  return (
    <details className={styles.details}>
      <summary>{t('task:scheduling.why')}</summary>
      <p>
        {t(`task:scheduling.origin.${s.origin}`, { route })}
        {s.key !== undefined && ` ${t('task:scheduling.key', { key: s.key })}`}
      </p>
      <table className={styles.table}>
        <caption className="hg-visually-hidden">{t('task:scheduling.caption')}</caption>
        <thead>
          <tr>
            <th scope="col">{t('task:scheduling.executor')}</th>
            <th scope="col">{t('task:scheduling.slots')}</th>
            <th scope="col">{t('task:scheduling.wait')}</th>
          </tr>
        </thead>
        <tbody>
          {s.considered.map((x) => (
            <tr key={x.name} data-chosen={x.name === chosen || undefined}>
              <th scope="row">{x.name}</th>
              <td>{t('task:scheduling.used', { used: x.used, slots: x.slots })}</td>
              <td>
                {x.name === chosen
                  ? t('task:scheduling.chosen')
                  : x.wait
                    ? waitReasonText(x.wait, t)
                    : t('task:scheduling.free')}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {s.group > s.considered.length && (
        <p className="hg-quiet">{t('task:scheduling.more', { count: s.group - s.considered.length })}</p>
      )}
    </details>
  );
}
