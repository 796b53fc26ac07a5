import { useTranslation } from 'react-i18next';
import type { Task } from '@/document';
import { readDuration } from '@/ui';
import { durationText } from '../../shell/fieldTexts';
import { type Control, Field } from '../fields/Field';
import { Choose, Input } from '../fields/Text';
import { DurationInput, useNumber } from '../fields/Typed';
import styles from '../Inspector.module.css';
import { withoutUnset } from '../useEdit';
import { useInherited } from './inherited';

type RetryValue = NonNullable<Task['retry']>;

const FACTORS = [1, 1.5, 2, 3, 4, 10];

/** New attempts after failures, as a sentence: 2 times, after 30 s, then double, at most 10 min. */
export function Retry({
  value: own,
  prefix = '',
  inherited,
  onChange,
}: {
  value?: RetryValue;
  prefix?: string;
  /** What the job gives if the task has no value; 0 times is a value then. */
  inherited?: RetryValue;
  onChange: (value: RetryValue | undefined) => void;
}) {
  const { t } = useTranslation('inspector');
  const inWords = useInherited();
  const value = own ?? {};
  const given = own === undefined ? inherited : undefined;
  const max = value.max ?? 0;
  const put = (fields: RetryValue) => {
    onChange(withoutUnset({ ...value, ...fields }));
  };
  const factor = value.backoff ?? 1;
  const factors = [...new Set([...FACTORS, factor])].sort((a, b) => a - b);
  const times = useNumber({
    value: value.max,
    integer: true,
    min: 0,
    max: 100,
    onChange: (n) => {
      put({ max: typeof n === 'number' && (n > 0 || inherited !== undefined) ? n : undefined });
    },
  });
  return (
    <Field
      label={t('retry.label')}
      name={`${prefix}retry`}
      refusal={times.refusal}
      note={given ? inWords(retryText(given, t)) : max > 0 ? waitsText(value, t) : undefined}
    >
      {(control: Control) => (
        <div className={styles.line}>
          <Input
            {...control}
            {...times.props}
            data-short
            placeholder={String(given?.max ?? 0)}
            aria-label={t('retry.times')}
          />
          <span>
            {t(max > 0 || value.delay !== undefined ? 'retry.timesAfter' : 'retry.timesOnly', { count: max })}
          </span>
          {(max > 0 || value.delay !== undefined) && (
            <DurationInput
              label={t('retry.delay')}
              value={value.delay}
              placeholder={t('retry.atOnce')}
              onChange={(delay) => {
                put({ delay });
              }}
            />
          )}
          {(max > 1 || factor !== 1) && (
            <Choose
              aria-label={t('retry.backoff')}
              quiet={factor === 1}
              value={String(factor)}
              onPick={(to) => {
                put({ backoff: to === '1' ? undefined : Number(to) });
              }}
              options={factors.map((n) => ({
                value: String(n),
                label: n === 1 ? t('retry.same') : n === 2 ? t('retry.double') : t('retry.factor', { n }),
              }))}
            />
          )}
          {((max > 1 && factor !== 1) || value.maxDelay !== undefined) && (
            <>
              <span>{t('retry.atMost')}</span>
              <DurationInput
                label={t('retry.maxDelay')}
                value={value.maxDelay}
                placeholder={t('retry.unbounded')}
                onChange={(maxDelay) => {
                  put({ maxDelay });
                }}
              />
            </>
          )}
        </div>
      )}
    </Field>
  );
}

type Translate = ReturnType<typeof useTranslation<'inspector'>>['t'];

/** Retries in a few words: 2 times, after 30 s and 1 min. */
const retryText = (value: RetryValue, t: Translate): string =>
  [`${String(value.max ?? 0)} ${t('retry.timesOnly', { count: value.max ?? 0 })}`, waitsText(value, t)]
    .filter(Boolean)
    .join(' · ');

/** The waiting times before the attempts, as text: after 30 s, 1 min and 2 min. */
function waitsText({ max = 0, delay, backoff = 1, maxDelay }: RetryValue, t: Translate): string | undefined {
  const first = delay === undefined ? 0 : readDuration(delay);
  const bound = maxDelay === undefined ? undefined : readDuration(maxDelay);
  if (first === undefined || first === 0) return undefined;
  const waits = Array.from({ length: Math.min(max, 4) }, (_, i) =>
    durationText(Math.min(Math.round((first * backoff ** i) / 1000) * 1000 || first, bound || Infinity), t),
  );
  return t('retry.waits', { waits: waits.join(', ') + (max > 4 ? ', …' : '') });
}
