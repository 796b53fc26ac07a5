import { useTranslation } from 'react-i18next';
import { type Changes, type DayChange, fieldText } from './changes';
import { type CalendarDoc, WEEKDAYS } from './days';
import { useDayTexts, useMarkText } from './texts';
import styles from './Changes.module.css';

/** The most changes that are listed; the rest is only counted. */
const LISTED = 30;

const markOf = ({ before, after }: DayChange) => (!before ? 'added' : !after ? 'removed' : 'changed');
const SIGN = { added: '+', removed: '−', changed: '~' } as const;

/** Changed days and fields as a list, each with a sign and words. */
export function ChangeList({ changes, after }: { changes: Changes; after: CalendarDoc }) {
  const { t } = useTranslation('calendars');
  const texts = useDayTexts();
  const markText = useMarkText();
  if (changes.days.length + changes.fields.length === 0) return <p className="hg-quiet">{t('change.none')}</p>;
  return (
    <ul className={styles.list}>
      {changes.fields.map((field) => (
        <li key={field}>
          <i data-mark="changed" aria-hidden="true">
            {SIGN.changed}
          </i>
          <b>{t(`field.${field}`)}</b>
          <span>
            {field === 'weekend'
              ? weekendText(after, texts) || t('change.empty')
              : fieldText(after, field) || t('change.empty')}
          </span>
        </li>
      ))}
      {changes.days.slice(0, LISTED).map((change) => {
        const mark = markOf(change);
        return (
          <li key={change.from}>
            <i data-mark={mark} aria-hidden="true">
              {SIGN[mark]}
            </i>
            <b>{texts.range(change)}</b>
            <span>
              {mark === 'added' && markText(change.after)}
              {mark === 'removed' && t('change.removed', { what: markText(change.before) })}
              {mark === 'changed' &&
                t('change.changed', { before: markText(change.before), after: markText(change.after) })}
            </span>
          </li>
        );
      })}
      {changes.days.length > LISTED && <li>{t('change.more', { count: changes.days.length - LISTED })}</li>}
    </ul>
  );
}

const weekendText = (doc: CalendarDoc, texts: ReturnType<typeof useDayTexts>): string =>
  WEEKDAYS.flatMap((day, i) =>
    fieldText(doc, 'weekend').split(' ').includes(day) ? [texts.shortWeekday(i)] : [],
  ).join(', ');
