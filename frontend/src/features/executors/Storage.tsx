import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { diskQuery } from '@/api/queries';
import { size } from '@/ui';
import styles from './Executors.module.css';

/** With fewer days left the line about the disk is a warning. */
const SHORT = 30;

/** The space that the server uses, and how long its disk lasts. Nothing while the server does not tell it. */
export function Storage() {
  const { t, i18n } = useTranslation('executors');
  const { data: disk } = useQuery(diskQuery);
  if (!disk) return null;
  const text = (bytes: number) => size(bytes, i18n.language);
  const rows = [
    [t('storage.database'), text(disk.databaseBytes)],
    [t('storage.logs'), disk.measuredAt ? text(disk.logBytes) : t('storage.unmeasured')],
    [t('storage.disk'), t('storage.free', { free: text(disk.freeBytes), total: text(disk.totalBytes) })],
  ];
  return (
    <section className={styles.storage} aria-labelledby="storage">
      <h2 id="storage">{t('storage.title')}</h2>
      <dl>
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
        <div data-short={disk.daysLeft !== undefined && disk.daysLeft < SHORT}>
          <dt>{t('storage.growth')}</dt>
          <dd>
            {disk.growthPerDay === undefined && t('storage.unknown')}
            {disk.growthPerDay !== undefined && disk.daysLeft === undefined && t('storage.none')}
            {disk.growthPerDay !== undefined &&
              disk.daysLeft !== undefined &&
              t('storage.left', { growth: text(disk.growthPerDay), count: disk.daysLeft })}
          </dd>
        </div>
      </dl>
    </section>
  );
}
