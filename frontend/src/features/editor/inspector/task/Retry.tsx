import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Task } from '@/document';
import { readDuration } from '@/ui';
import { useDoc } from '../../context';
import { durationText } from '../../shell/fieldTexts';
import { type Name, namesFor, outcomeNames } from '../fields/completion';
import { type Control, Field } from '../fields/Field';
import { ExpressionInput } from '../fields/Suggest';
import { Choose, Input, TextField } from '../fields/Text';
import { DurationInput, useNumber } from '../fields/Typed';
import styles from '../Inspector.module.css';
import { unsetIfEmpty, withoutUnset } from '../useEdit';
import type { SetField } from './fields';
import { useInherited } from './inherited';

type RetryValue = NonNullable<Task['retry']>;

interface RetryProps {
  value?: RetryValue;
  /** What stands before its name in faults: `onEnd[0].`. */
  prefix?: string;
  /** The names that its condition may use, without the failed attempt. */
  names: readonly Name[];
  /** What the job gives if the task has no value; 0 times is a value then. */
  inherited?: RetryValue;
  /** Whether 0 times is written, because a job gives another number. */
  writeNone?: boolean;
  onChange: (value: RetryValue | undefined) => void;
}

/** New attempts after failures: how many, when, and after which failures. */
export function Retry(props: RetryProps) {
  const { value = {}, prefix = '' } = props;
  const choosy = (value.max ?? 0) > 0 || value.on !== undefined || value.when !== undefined;
  return (
    <>
      <Waits {...props} inside={choosy ? [`${prefix}retry.on`, `${prefix}retry.when`] : []} />
      {choosy && <Which {...props} />}
    </>
  );
}

type TaskRetryProps = Pick<RetryProps, 'value' | 'inherited' | 'writeNone'> & { task: string; set: SetField };

/** The retries of a task. */
export function TaskRetry({ task, set, ...rest }: TaskRetryProps) {
  const doc = useDoc((s) => s.doc);
  const names = useMemo(() => namesFor(doc, task), [doc, task]);
  return (
    <Retry
      {...rest}
      names={names}
      onChange={(retry) => {
        set('retry', { retry });
      }}
    />
  );
}

/** Which failures are repeated. */
function Which({ value = {}, prefix = '', names, onChange }: RetryProps) {
  const { t } = useTranslation('inspector');
  const all = useMemo(() => [...outcomeNames(), ...names], [names]);
  const put = (fields: RetryValue) => {
    onChange(withoutUnset({ ...value, ...fields }));
  };
  return (
    <>
      <TextField
        label={t('retry.on.label')}
        name={`${prefix}retry.on`}
        help={t('retry.on.note')}
        mono
        value={value.on ?? ''}
        placeholder={t('retry.on.any')}
        onChange={(on) => {
          put({ on: unsetIfEmpty(on) });
        }}
      />
      <Field label={t('retry.when.label')} name={`${prefix}retry.when`} help={t('retry.when.note')}>
        {(control) => (
          <ExpressionInput
            {...control}
            bare
            mono
            value={value.when ?? ''}
            placeholder={t('retry.when.none')}
            names={all}
            onChange={(when) => {
              put({ when: unsetIfEmpty(when) });
            }}
          />
        )}
      </Field>
    </>
  );
}

const FACTORS = [1, 1.5, 2, 3, 4, 10];
const SHARES = [0, 0.1, 0.2, 0.5, 1];

/** How often and when, as a sentence: 2 times, after 30 s, then double, at most 10 min, ± 20 %. */
function Waits(props: RetryProps & { inside: readonly string[] }) {
  const { value = {}, prefix = '', inherited, writeNone = inherited !== undefined, inside, onChange } = props;
  const { t } = useTranslation('inspector');
  const inWords = useInherited();
  const given = props.value === undefined ? inherited : undefined;
  const max = value.max ?? 0;
  const put = (fields: RetryValue) => {
    onChange(withoutUnset({ ...value, ...fields }));
  };
  const factor = value.backoff ?? 1;
  const share = value.jitter ?? 0;
  const times = useNumber({
    value: value.max,
    integer: true,
    min: 0,
    max: 100,
    onChange: (n) => {
      put({ max: typeof n === 'number' && (n > 0 || writeNone) ? n : undefined });
    },
  });
  return (
    <Field
      label={t('retry.label')}
      name={`${prefix}retry`}
      inside={inside}
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
              options={withOwn(FACTORS, factor).map((n) => ({
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
          {((max > 0 && value.delay !== undefined) || share !== 0) && (
            <Choose
              aria-label={t('retry.jitter')}
              quiet={share === 0}
              value={String(share)}
              onPick={(to) => {
                put({ jitter: to === '0' ? undefined : Number(to) });
              }}
              options={withOwn(SHARES, share).map((n) => ({
                value: String(n),
                label: n === 0 ? t('retry.exact') : t('retry.share', { n: percent(n) }),
              }))}
            />
          )}
        </div>
      )}
    </Field>
  );
}

/** The usual values, and the one that the task has. */
const withOwn = (usual: readonly number[], own: number) => [...new Set([...usual, own])].sort((a, b) => a - b);

const percent = (share: number) => Math.round(share * 1000) / 10;

type Translate = ReturnType<typeof useTranslation<'inspector'>>['t'];

/** Retries in a few words: 2 times, after 30 s and 1 min. */
const retryText = (value: RetryValue, t: Translate): string =>
  [`${String(value.max ?? 0)} ${t('retry.timesOnly', { count: value.max ?? 0 })}`, waitsText(value, t)]
    .filter(Boolean)
    .join(' · ');

/** The waiting times before the attempts, as text: after 30 s, 1 min and 2 min. */
function waitsText(
  { max = 0, delay, backoff = 1, maxDelay, jitter = 0 }: RetryValue,
  t: Translate,
): string | undefined {
  const first = delay === undefined ? 0 : readDuration(delay);
  const bound = maxDelay === undefined ? undefined : readDuration(maxDelay);
  if (first === undefined || first === 0) return undefined;
  const waits = Array.from({ length: Math.min(max, 4) }, (_, i) =>
    durationText(Math.min(Math.round((first * backoff ** i) / 1000) * 1000 || first, bound || Infinity), t),
  );
  const texts = waits.join(', ') + (max > 4 ? ', …' : '');
  return jitter > 0
    ? t('retry.waitsAbout', { waits: texts, share: t('retry.share', { n: percent(jitter) }) })
    : t('retry.waits', { waits: texts });
}
