import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { CronTime } from '@/cron';
import { Input } from '../inspector/fields/Text';
import { readTime, writeTime } from './clock';

/** A time of day by the 24-hour clock, as crons have it. */
export function TimeInput({
  label,
  value,
  onChange,
}: {
  label: string;
  value: CronTime;
  onChange: (time: CronTime) => void;
}) {
  const { t } = useTranslation('inspector');
  const [typed, setTyped] = useState<string>();
  const wrong = typed !== undefined && readTime(typed) === undefined;
  const commit = () => {
    const time = typed === undefined ? undefined : readTime(typed);
    if (time && writeTime(time) !== writeTime(value)) onChange(time);
    setTyped(undefined);
  };
  return (
    <Input
      aria-label={label}
      aria-invalid={wrong || undefined}
      title={wrong ? t('trigger.timeWrong') : undefined}
      value={typed ?? writeTime(value)}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
      }}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === 'Enter') commit();
        else if (event.key === 'Escape') setTyped(undefined);
      }}
    />
  );
}
