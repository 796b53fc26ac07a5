import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Input } from '../inspector/fields/Text';
import { readDays, writeDays } from './days';

/** Days of the month: `1, 15` or `1-5`. */
export function DaysInput({ value, onChange }: { value: readonly number[]; onChange: (days: number[]) => void }) {
  const { t } = useTranslation('inspector');
  const [typed, setTyped] = useState<string>();
  const wrong = typed !== undefined && readDays(typed) === undefined;
  return (
    <Input
      data-short
      aria-label={t('trigger.days')}
      value={typed ?? writeDays(value)}
      aria-invalid={wrong || undefined}
      title={wrong ? t('trigger.daysWrong') : undefined}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        const days = readDays(event.currentTarget.value);
        if (days) onChange(days);
      }}
      onBlur={() => {
        setTyped(undefined);
      }}
    />
  );
}
