import { Checkbox } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { WEEKDAYS } from './days';
import { useDayTexts } from './texts';
import styles from './Dialogs.module.css';

/** The weekdays of the weekend. */
export function WeekendField({ value, onChange }: { value: readonly string[]; onChange: (value: string[]) => void }) {
  const { t } = useTranslation('calendars');
  const texts = useDayTexts();
  return (
    <fieldset className={styles.weekend}>
      <legend>{t('field.weekend')}</legend>
      {WEEKDAYS.map((day, i) => (
        <Checkbox
          key={day}
          size="xs"
          label={texts.shortWeekday(i)}
          aria-label={texts.weekday(i)}
          checked={value.includes(day)}
          onChange={(event) => {
            const { checked } = event.currentTarget;
            onChange(WEEKDAYS.filter((other) => (other === day ? checked : value.includes(other))));
          }}
        />
      ))}
    </fieldset>
  );
}
