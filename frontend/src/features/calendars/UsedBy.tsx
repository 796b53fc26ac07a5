import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import styles from './Calendars.module.css';

/** The number of schedules that use a calendar, with links to the first ones. The others are in the tooltip. */
export function UsedBy({ schedules, most }: { schedules: readonly string[]; most: number }) {
  const { t } = useTranslation('calendars');
  if (schedules.length === 0) return <span className={styles.quiet}>{t('users.none')}</span>;
  const rest = schedules.slice(most);
  return (
    <>
      {t('users.count', { count: schedules.length })}
      <small>
        {schedules.slice(0, most).map((name, i) => (
          <Fragment key={name}>
            {i > 0 && ', '}
            <Link to="/schedules/$name" params={{ name }} search={{}}>
              {name}
            </Link>
          </Fragment>
        ))}
        {rest.length > 0 && <span title={rest.join(', ')}>{t('users.more', { count: rest.length })}</span>}
      </small>
    </>
  );
}
