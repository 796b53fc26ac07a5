import { useTranslation } from 'react-i18next';
import { type CalendarDoc, countDays, DEFAULT_WEEKEND, yearsOf } from './days';
import { useDayTexts } from './texts';
import { UsedBy } from './UsedBy';
import styles from './Year.module.css';

const KINDS = ['workday', 'weekend', 'holiday', 'makeUp'] as const;

interface Props {
  year: number;
  doc: CalendarDoc;
  usedBy: readonly string[];
}

/** The numbers of a year, and what is known of the calendar. */
export function Facts({ year, doc, usedBy }: Props) {
  const { t } = useTranslation('calendars');
  const texts = useDayTexts();
  const counts = countDays(doc, year);
  const years = yearsOf(doc);
  return (
    <aside className={styles.facts} aria-label={t('facts.title')}>
      <h2>{year}</h2>
      <dl>
        <dt>{t('facts.workdays')}</dt>
        <dd>{counts.workday + counts.makeUp}</dd>
        <dt>{t('facts.makeUp')}</dt>
        <dd>{counts.makeUp}</dd>
        <dt>{t('facts.holidays')}</dt>
        <dd>{counts.holiday}</dd>
        <dt>{t('facts.weekend')}</dt>
        <dd>{counts.weekend}</dd>
      </dl>
      <h2>{doc.name}</h2>
      <dl>
        <dt>{t('facts.rule')}</dt>
        <dd>{texts.workdays(doc.weekend ?? DEFAULT_WEEKEND)}</dd>
        <dt>{t('facts.known')}</dt>
        <dd>{years ? t('facts.knownUntil', { year: years[1] }) : t('known.never')}</dd>
        <dt>{t('facts.usedBy')}</dt>
        <dd>
          <UsedBy schedules={usedBy} most={30} />
        </dd>
      </dl>
    </aside>
  );
}

/** The signs of the kinds of days. */
export function Legend() {
  const { t } = useTranslation('calendars');
  return (
    <ul className={styles.legend} aria-label={t('legend')}>
      {KINDS.map((kind) => (
        <li key={kind}>
          <span data-kind={kind} aria-hidden="true">
            {kind === 'holiday' || kind === 'makeUp' ? t(`sign.${kind}`) : ''}
          </span>
          {t(`kind.${kind}`)}
        </li>
      ))}
    </ul>
  );
}
