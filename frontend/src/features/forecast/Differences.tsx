import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { type Change, changesOf, monthName, rangesOf, shortDate } from './month';
import styles from './Forecast.module.css';

/** The list shows at most so many changes. The days show all of them. */
const MOST = 12;

/** What a month does differently, in words, and how much it does. */
export function Differences({ forecast, month }: { forecast: Schemas['ForecastMonth']; month: string }) {
  const { t, i18n } = useTranslation('forecast');
  const days = forecast.days.filter((d) => d.date.startsWith(month));
  const changes = changesOf(days);
  const ticks = days.reduce((sum, d) => sum + d.ticks, 0);
  return (
    <>
      <section className={styles.changes}>
        <h2>{t('differs', { month: monthName(month, i18n.language, false) })}</h2>
        {changes.length === 0 && <p>{t('nothingDiffers')}</p>}
        <dl>
          {changes.slice(0, MOST).map((change) => (
            <ChangeRow key={`${change.kind} ${change.dates.join()} ${change.schedules.join()}`} change={change} />
          ))}
        </dl>
        {changes.length > MOST && <p>{t('moreChanges', { count: changes.length - MOST })}</p>}
      </section>
      <section className={styles.sums}>
        <h2>{t('sums')}</h2>
        <dl>
          <Sum name={t('head.ticks')} n={ticks} />
          <Sum name={t('sum.schedules')} n={forecast.schedules} />
          {forecast.following > 0 && <Sum name={t('sum.following')} n={forecast.following} />}
          {forecast.disabled > 0 && <Sum name={t('sum.disabled')} n={forecast.disabled} />}
        </dl>
        {forecast.following > 0 && <p>{t('followingHint')}</p>}
        {forecast.uncounted > 0 && <p className={styles.cut}>{t('uncounted', { count: forecast.uncounted })}</p>}
      </section>
    </>
  );
}

function Sum({ name, n }: { name: string; n: number }) {
  const { i18n } = useTranslation();
  return (
    <>
      <dt>{name}</dt>
      <dd>{n.toLocaleString(i18n.language)}</dd>
    </>
  );
}

const NAMED = 4;

function ChangeRow({ change }: { change: Change }) {
  const { t, i18n } = useTranslation('forecast');
  const { language } = i18n;
  const dates = rangesOf(change.dates)
    .map(({ first, last }) =>
      first === last
        ? shortDate(first, language)
        : t('range', { first: shortDate(first, language), last: shortDate(last, language) }),
    )
    .join(t('and'));
  const names = change.schedules.slice(0, NAMED).join(t('and'));
  const rest = change.schedules.length - NAMED;
  return (
    <>
      <dt>{dates}</dt>
      <dd data-kind={change.kind}>
        <b>{rest > 0 ? `${names} ${t('more', { count: rest })}` : names}</b>{' '}
        {change.kind === 'moved'
          ? t('change.moved', { date: change.from ? shortDate(change.from, language) : '' })
          : t(`change.${change.kind}`, { count: change.count })}
      </dd>
    </>
  );
}
