import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { CronForm } from '@/cron';
import { readDuration, writeDuration } from '@/ui';
import { Choose, Input } from '../inspector/fields/Text';
import { DurationInput } from '../inspector/fields/Typed';
import styles from './Settings.module.css';
import { HourTimes, type PartProps, readDays, Starts, Times, upTo, writeDays } from './Times';

/** The form for the times in a cycle: its offset, the times of day, and the days. */
export function CycleForm({ form, onChange }: { form: CronForm; onChange: (form: CronForm) => void }) {
  const { t } = useTranslation('inspector');
  const put = (fields: Partial<CronForm>) => {
    onChange({ ...form, ...fields });
  };
  switch (form.cycle) {
    case 'period':
      return (
        <DurationInput
          label={t('trigger.period')}
          value={writeDuration(form.period * 1000)}
          onChange={(text) => {
            put({ period: Math.floor((readDuration(text ?? '') ?? 0) / 1000) });
          }}
        />
      );
    case 'second':
    case 'minute':
      return form.every > 1 ? <Starts form={form} put={put} /> : null;
    case 'hour':
      return (
        <>
          <span>{t('trigger.at')}</span>
          <HourTimes form={form} put={put} />
        </>
      );
    case 'week':
      return (
        <>
          <span>{t('trigger.on')}</span>
          <Toggles
            kind="weekday"
            values={form.weekdays}
            onChange={(weekdays) => {
              put({ weekdays });
            }}
          />
          <DayTimes form={form} put={put} />
        </>
      );
    case 'month':
    case 'quarter':
    case 'year':
      return (
        <>
          <Months form={form} put={put} />
          <span>{t('trigger.onDays')}</span>
          <DaysInput
            value={form.days}
            onChange={(days) => {
              put({ days });
            }}
          />
          <DayTimes form={form} put={put} />
        </>
      );
    default:
      return <DayTimes form={form} put={put} />;
  }
}

function DayTimes(props: PartProps) {
  const { t } = useTranslation('inspector');
  return (
    <>
      <span>{t('trigger.at')}</span>
      <Times {...props} />
    </>
  );
}

/** The months of a year in which a trigger is due, or the first month of a cycle of several months. */
function Months({ form: { cycle, every, months }, put }: PartProps) {
  const { t } = useTranslation('inspector');
  if (cycle === 'year')
    return (
      <>
        <span>{t('trigger.in')}</span>
        <Toggles
          kind="month"
          values={months}
          onChange={(next) => {
            put({ months: next });
          }}
        />
      </>
    );
  if (cycle === 'month' && every === 1) return null;
  return (
    <>
      <span>{t('trigger.fromMonth')}</span>
      <Choose
        aria-label={t('trigger.fromMonth')}
        value={String(months[0] ?? 1)}
        options={upTo(cycle === 'quarter' ? 3 : every, 1).map((n) => ({
          value: String(n),
          label: nameOf('month', n),
        }))}
        onPick={(n) => {
          put({ months: [Number(n)] });
        }}
      />
    </>
  );
}

/** Days of the month: `1, 15` or `1-5`. */
function DaysInput({ value, onChange }: { value: readonly number[]; onChange: (days: number[]) => void }) {
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

/** Days of the week from Monday on, or months: the pressed ones are chosen. */
function Toggles({
  kind,
  values,
  onChange,
}: {
  kind: 'weekday' | 'month';
  values: readonly number[];
  onChange: (values: number[]) => void;
}) {
  const all = kind === 'weekday' ? [1, 2, 3, 4, 5, 6, 0] : upTo(12, 1);
  return (
    <span className={styles.days}>
      {all.map((n) => {
        const on = values.includes(n);
        return (
          <button
            key={n}
            type="button"
            aria-pressed={on}
            onClick={() => {
              onChange(on ? values.filter((v) => v !== n) : [...values, n].sort((a, b) => a - b));
            }}
          >
            {nameOf(kind, n)}
          </button>
        );
      })}
    </span>
  );
}

/** The short name of a day of the week or of a month, in the language of the page. */
function nameOf(kind: 'weekday' | 'month', n: number): string {
  const at = kind === 'weekday' ? Date.UTC(2024, 0, 7 + n) : Date.UTC(2024, n - 1, 1);
  return new Intl.DateTimeFormat(document.documentElement.lang || 'en', { [kind]: 'short', timeZone: 'UTC' }).format(
    at,
  );
}
