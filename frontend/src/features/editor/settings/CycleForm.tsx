import { useTranslation } from 'react-i18next';
import type { CronForm } from '@/cron';
import { writeDuration, readDuration } from '@/ui';
import { Icon } from '../inspector/fields/Icons';
import fieldStyles from '../inspector/fields/Field.module.css';
import { Choose } from '../inspector/fields/Text';
import { DurationInput } from '../inspector/fields/Typed';
import { DaysInput } from './DaysInput';
import styles from './Settings.module.css';
import { writeTime } from './clock';
import { TimeInput } from './TimeInput';

interface Props {
  form: CronForm;
  onChange: (form: CronForm) => void;
}

const two = (n: number) => String(n).padStart(2, '0');
const upTo = (n: number, from = 0) => Array.from({ length: n }, (_, i) => i + from);

/** What belongs to a cycle beside how often it comes round: from when, at which times, on which days. */
export function CycleForm({ form, onChange }: Props) {
  const { t } = useTranslation('inspector');
  const { cycle, every } = form;
  const put = (fields: Partial<CronForm>) => {
    onChange({ ...form, ...fields });
  };
  switch (cycle) {
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
      return every > 1 ? <Starts form={form} put={put} /> : null;
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
          <span>{t('trigger.at')}</span>
          <Times form={form} put={put} />
        </>
      );
    case 'month':
    case 'quarter':
    case 'year':
      return (
        <>
          {(cycle === 'quarter' || (cycle === 'month' && every > 1)) && (
            <>
              <span>{t('trigger.fromMonth')}</span>
              <Choose
                aria-label={t('trigger.fromMonth')}
                value={String(form.months[0] ?? 1)}
                options={upTo(cycle === 'quarter' ? 3 : every, 1).map((n) => ({
                  value: String(n),
                  label: name('month', n),
                }))}
                onPick={(n) => {
                  put({ months: [Number(n)] });
                }}
              />
            </>
          )}
          {cycle === 'year' && (
            <>
              <span>{t('trigger.in')}</span>
              <Toggles
                kind="month"
                values={form.months}
                onChange={(months) => {
                  put({ months });
                }}
              />
            </>
          )}
          <span>{t('trigger.onDays')}</span>
          <DaysInput
            value={form.days}
            onChange={(days) => {
              put({ days });
            }}
          />
          <span>{t('trigger.at')}</span>
          <Times form={form} put={put} />
        </>
      );
    default:
      return (
        <>
          <span>{t('trigger.at')}</span>
          <Times form={form} put={put} />
        </>
      );
  }
}

interface PartProps {
  form: CronForm;
  put: (fields: Partial<CronForm>) => void;
}

/** Times of the day. */
function Times({ form: { times }, put }: PartProps) {
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
            <button
              type="button"
              className={fieldStyles.quiet}
              aria-label={t('trigger.removeTime', { time: writeTime(time) })}
              onClick={() => {
                put({ times: times.toSpliced(i, 1) });
              }}
            >
              <Icon name="close" />
            </button>
          )}
        </span>
      ))}
      <button type="button" className={fieldStyles.quiet} aria-label={t('trigger.addTime')} onClick={next}>
        <Icon name="plus" />
      </button>
    </span>
  );
}

/** Where in its hours an hourly cycle is due. */
function HourTimes({ form: { times, every }, put }: PartProps) {
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
            <button
              type="button"
              className={fieldStyles.quiet}
              aria-label={t('trigger.removeTime', { time: `:${two(time.minute)}` })}
              onClick={() => {
                put({ times: times.toSpliced(i, 1) });
              }}
            >
              <Icon name="close" />
            </button>
          )}
        </span>
      ))}
      <button type="button" className={fieldStyles.quiet} aria-label={t('trigger.addTime')} onClick={next}>
        <Icon name="plus" />
      </button>
    </span>
  );
}

/** Where a short cycle begins. */
function Starts({ form: { starts, every }, put }: PartProps) {
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
            <button
              type="button"
              className={fieldStyles.quiet}
              aria-label={t('trigger.removeTime', { time: `:${two(start)}` })}
              onClick={() => {
                put({ starts: starts.toSpliced(i, 1) });
              }}
            >
              <Icon name="close" />
            </button>
          )}
        </span>
      ))}
      {free !== undefined && (
        <button
          type="button"
          className={fieldStyles.quiet}
          aria-label={t('trigger.addTime')}
          onClick={() => {
            put({ starts: [...starts, free] });
          }}
        >
          <Icon name="plus" />
        </button>
      )}
    </span>
  );
}

/** Days of the week from Monday on, or months: pressed are those that count. */
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
            {name(kind, n)}
          </button>
        );
      })}
    </span>
  );
}

function name(kind: 'weekday' | 'month', n: number): string {
  const at = kind === 'weekday' ? Date.UTC(2024, 0, 7 + n) : Date.UTC(2024, n - 1, 1);
  return new Intl.DateTimeFormat(document.documentElement.lang || 'en', { [kind]: 'short', timeZone: 'UTC' }).format(
    at,
  );
}
