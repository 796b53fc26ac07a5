import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type CronForm, type CronTime, LAST_DAY } from '@/cron';
import { Choose, Icon, Input } from '../inspector/fields/Text';
import fieldStyles from '../inspector/fields/Field.module.css';
import styles from './Settings.module.css';

/** The numbers from `from` on, `n` of them. */
export const upTo = (n: number, from = 0): number[] => Array.from({ length: n }, (_, i) => i + from);

/** The props of the parts of a cycle's form. */
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

/** Reads a time of day such as `3:20`, `03:20:15`, `320`, `3` or `3 pm`; undefined for any other text. */
export function readTime(text: string): CronTime | undefined {
  const clean = text.trim().toLowerCase().replace('：', ':');
  const [, h, m, s, half] = /^(\d{1,2})(?:[:.]?([0-5]\d)(?:[:.]([0-5]\d))?)?\s*(am|pm)?$/.exec(clean) ?? [];
  if (h === undefined) return undefined;
  const hour = half === undefined ? Number(h) : (Number(h) % 12) + (half === 'pm' ? 12 : 0);
  if (hour > 23 || (half !== undefined && (Number(h) < 1 || Number(h) > 12))) return undefined;
  return { hour, minute: Number(m ?? 0), second: Number(s ?? 0) };
}

/** A number with two digits at least. */
const two = (n: number) => String(n).padStart(2, '0');

/** Writes a time of day: `03:20`, with seconds unless they are 0. */
export const writeTime = ({ hour, minute, second }: CronTime): string =>
  `${two(hour)}:${two(minute)}${second ? `:${two(second)}` : ''}`;

/** Reads days of the month such as `1, 15`, `1-5` or `L` for the last one; undefined for any other text. */
export function readDays(text: string): number[] | undefined {
  const days = new Set<number>();
  const parts = text.split(/[\s,，、]+/).filter(Boolean);
  for (const part of parts) {
    if (part.toUpperCase() === 'L') {
      days.add(LAST_DAY);
      continue;
    }
    const [, first, last] = /^(\d{1,2})(?:[-–](\d{1,2}))?$/.exec(part) ?? [];
    const [from, to] = [Number(first), Number(last ?? first)];
    if (first === undefined || from < 1 || to > 31 || from > to) return undefined;
    for (let day = from; day <= to; day++) days.add(day);
  }
  return days.size > 0 ? [...days].sort((a, b) => a - b) : undefined;
}

const writeDay = (day: number): string => (day === LAST_DAY ? 'L' : String(day));

/** Writes days of the month: three and more in a row become a range. The last day of the month is `L`. */
export function writeDays(days: readonly number[]): string {
  const runs: number[][] = [];
  for (const day of days) {
    const last = runs.at(-1);
    if (last && last.at(-1) === day - 1 && day !== LAST_DAY) last.push(day);
    else runs.push([day]);
  }
  return runs
    .map((run) => (run.length > 2 ? `${String(run[0])}-${String(run.at(-1))}` : run.map(writeDay).join(', ')))
    .join(', ');
}
