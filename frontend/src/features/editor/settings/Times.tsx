import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { CronForm, CronTime } from '@/cron';
import { Icon } from '../inspector/fields/Icons';
import fieldStyles from '../inspector/fields/Field.module.css';
import { Choose, Input } from '../inspector/fields/Text';
import styles from './Settings.module.css';
import { readTime, two, writeTime } from './timeText';

/** The numbers from `from` on, `n` of them. */
export const upTo = (n: number, from = 0): number[] => Array.from({ length: n }, (_, i) => i + from);

/** What the parts of a cycle's form get. */
export interface PartProps {
  form: CronForm;
  /** Changes some fields of the form. */
  put: (fields: Partial<CronForm>) => void;
}

/** The times of a day at which a cycle is due. */
export function Times({ form: { times }, put }: PartProps) {
  const { t } = useTranslation('inspector');
  const next = () => {
    const last = times.at(-1) ?? { hour: 3, minute: 0, second: 0 };
    const free = upTo(24)
      .map((n) => ({ ...last, hour: (last.hour + 12 + n) % 24 }))
      .find((time) => !times.some((other) => writeTime(other) === writeTime(time)));
    if (free) put({ times: [...times, free] });
  };
  return (
    <span className={styles.times}>
      {times.map((time, i) => (
        <span key={i} className={styles.time}>
          <TimeInput
            label={t('trigger.time', { n: i + 1 })}
            value={time}
            onChange={(next) => {
              put({ times: times.with(i, next) });
            }}
          />
          {times.length > 1 && (
            <RemoveTime
              time={writeTime(time)}
              onClick={() => {
                put({ times: times.toSpliced(i, 1) });
              }}
            />
          )}
        </span>
      ))}
      <AddTime onClick={next} />
    </span>
  );
}

/** The minutes, and in cycles of several hours the hours, at which an hourly cycle is due. */
export function HourTimes({ form: { times, every }, put }: PartProps) {
  const { t } = useTranslation('inspector');
  const next = () => {
    const last = times.at(-1) ?? { hour: 0, minute: 0, second: 0 };
    put({
      times: [
        ...times,
        { ...last, minute: (last.minute + 30) % 60, hour: last.minute >= 30 ? (last.hour + 1) % every : last.hour },
      ],
    });
  };
  return (
    <span className={styles.times}>
      {times.map((time, i) => (
        <span key={i} className={styles.time}>
          {every > 1 && (
            <Choose
              aria-label={t('trigger.hour', { n: i + 1 })}
              value={String(time.hour)}
              options={upTo(every).map((n) => ({ value: String(n), label: two(n) }))}
              onPick={(n) => {
                put({ times: times.with(i, { ...time, hour: Number(n) }) });
              }}
            />
          )}
          <Choose
            aria-label={t('trigger.minute', { n: i + 1 })}
            value={String(time.minute)}
            options={upTo(60).map((n) => ({ value: String(n), label: `:${two(n)}` }))}
            onPick={(n) => {
              put({ times: times.with(i, { ...time, minute: Number(n) }) });
            }}
          />
          {times.length > 1 && (
            <RemoveTime
              time={`:${two(time.minute)}`}
              onClick={() => {
                put({ times: times.toSpliced(i, 1) });
              }}
            />
          )}
        </span>
      ))}
      <AddTime onClick={next} />
    </span>
  );
}

/** The offsets at which a cycle of minutes or seconds is due. */
export function Starts({ form: { starts, every }, put }: PartProps) {
  const { t } = useTranslation('inspector');
  const free = upTo(every).find((n) => !starts.includes(n));
  return (
    <span className={styles.times}>
      <span>{t('trigger.from')}</span>
      {starts.map((start, i) => (
        <span key={i} className={styles.time}>
          <Choose
            aria-label={t('trigger.start', { n: i + 1 })}
            value={String(start)}
            options={upTo(every).map((n) => ({ value: String(n), label: `:${two(n)}` }))}
            onPick={(n) => {
              put({ starts: [...new Set(starts.with(i, Number(n)))] });
            }}
          />
          {starts.length > 1 && (
            <RemoveTime
              time={`:${two(start)}`}
              onClick={() => {
                put({ starts: starts.toSpliced(i, 1) });
              }}
            />
          )}
        </span>
      ))}
      {free !== undefined && (
        <AddTime
          onClick={() => {
            put({ starts: [...starts, free] });
          }}
        />
      )}
    </span>
  );
}

function RemoveTime({ time, onClick }: { time: string; onClick: () => void }) {
  const { t } = useTranslation('inspector');
  return (
    <button
      type="button"
      className={fieldStyles.quiet}
      aria-label={t('trigger.removeTime', { time })}
      onClick={onClick}
    >
      <Icon name="close" />
    </button>
  );
}

function AddTime({ onClick }: { onClick: () => void }) {
  const { t } = useTranslation('inspector');
  return (
    <button type="button" className={fieldStyles.quiet} aria-label={t('trigger.addTime')} onClick={onClick}>
      <Icon name="plus" />
    </button>
  );
}

/** A time of day by the 24-hour clock. */
function TimeInput({ label, value, onChange }: { label: string; value: CronTime; onChange: (time: CronTime) => void }) {
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
