import { Button } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { proposedQuery } from '@/api/queries';
import { Field } from '../inspector/fields/Field';
import { Choose, Icon, Input } from '../inspector/fields/Text';
import fieldStyles from '../inspector/fields/Field.module.css';
import { More } from '../inspector/Panel';
import { type Triggers } from '../inspector/NextTicks';
import { withoutUnset } from '../inspector/useEdit';
import styles from './Settings.module.css';

type Upstream = NonNullable<Triggers[number]['after']>[number];

/** Milliseconds after the last letter until the server searches. */
const SEARCH_DELAY = 150;

const COUNTED = /^(last|first)\((\d+)\)$/;
const POLICIES = ['all', 'any', 'last', 'first'] as const;
const NAMED = ['same_hour', 'same_day'] as const;

/** Whether the moments of a trigger come from other schedules. */
export const follows = (trigger: Triggers[number] | undefined) =>
  !trigger?.cron && !trigger?.at && trigger?.webhook === undefined && (trigger?.after?.length ?? 0) > 0;

interface AfterProps {
  /** The name of the schedule. */
  schedule: string;
  /** The index of the first trigger. */
  first: number;
  triggers: Triggers;
  onChange: (triggers: Triggers) => void;
}

/** The schedules that a group of triggers waits for; all triggers of the group have the same. */
export function After({ schedule, first, triggers, onChange }: AfterProps) {
  const { t } = useTranslation('inspector');
  const after = triggers[0]?.after ?? [];
  const serial = triggers[0]?.serial ?? false;
  const alone = follows(triggers[0]);
  const put = (fields: { after?: Upstream[]; serial?: boolean }) => {
    onChange(triggers.map((one) => withoutUnset({ ...one, ...fields }) ?? one));
  };
  const content = (
    <>
      {after.map((one, i) => (
        <UpstreamRow
          key={i}
          name={`triggers[${String(first)}].after[${String(i)}]`}
          schedule={schedule}
          upstream={one}
          alone={alone}
          several={after.length > 1}
          onChange={(next) => {
            put({ after: after.with(i, next) });
          }}
          onRemove={
            alone && after.length === 1
              ? undefined
              : () => {
                  const rest = after.toSpliced(i, 1);
                  put({ after: rest.length > 0 ? rest : undefined });
                }
          }
        />
      ))}
      <div>
        <Button
          onClick={() => {
            const window = alone ? after[0]?.window : 'same_day';
            put({ after: [...after, withoutUnset({ schedule: '', window }) ?? { schedule: '' }] });
          }}
        >
          {t('after.add')}
        </Button>
      </div>
      <label className={styles.serial}>
        <input
          type="checkbox"
          checked={serial}
          onChange={(event) => {
            put({ serial: event.currentTarget.checked || undefined });
          }}
        />
        {t('after.serial')}
      </label>
    </>
  );
  if (alone) return content;
  return (
    <More title={t('after.about')} count={after.length + Number(serial)}>
      {content}
    </More>
  );
}

interface RowProps {
  name: string;
  schedule: string;
  upstream: Upstream;
  /** The trigger has no cron. */
  alone: boolean;
  several: boolean;
  onChange: (upstream: Upstream) => void;
  onRemove?: () => void;
}

/** One schedule to wait for: its name, how many of its moments, and which. */
function UpstreamRow({ name, schedule, upstream, alone, several, onChange, onRemove }: RowProps) {
  const { t } = useTranslation('inspector');
  const { policy = 'all', window } = upstream;
  const counted = COUNTED.exec(policy);
  const kind = counted?.[1] ?? policy;
  const put = (fields: Partial<Upstream>) => {
    onChange({ ...upstream, ...withoutUnset({ ...fields }), ...cleared(fields) });
  };
  return (
    <div className={styles.upstream}>
      <NameField
        name={`${name}.schedule`}
        value={upstream.schedule}
        except={schedule}
        onChange={(text) => {
          put({ schedule: text });
        }}
      />
      <Field label={t('after.policy')} name={`${name}.policy`}>
        {(control) => (
          <span className={styles.counted}>
            <Choose
              {...control}
              value={kind}
              options={POLICIES.filter((one) => window !== undefined || !alone || one === 'all' || one === 'any').map(
                (one) => ({ value: one, label: t(`after.policies.${one}`) }),
              )}
              onPick={(picked) => {
                put({
                  policy:
                    picked === 'all' ? undefined : picked === 'any' ? picked : `${picked}(${counted?.[2] ?? '1'})`,
                });
              }}
            />
            {counted && (
              <Input
                aria-label={t('after.count')}
                type="number"
                min={1}
                max={1000}
                value={counted[2]}
                onChange={(event) => {
                  put({ policy: `${kind}(${event.currentTarget.value || '1'})` });
                }}
              />
            )}
          </span>
        )}
      </Field>
      <WindowField
        name={`${name}.window`}
        value={window}
        none={alone ? (several ? 'latest' : 'each') : 'none'}
        alone={alone}
        onChange={(next) => {
          put({ window: next });
        }}
      />
      {onRemove && (
        <button
          type="button"
          className={fieldStyles.quiet}
          aria-label={t('after.remove', { name: upstream.schedule })}
          onClick={onRemove}
        >
          <Icon name="trash" />
        </button>
      )}
    </div>
  );
}

/** Makes fields that were set to undefined disappear. */
const cleared = (fields: Partial<Upstream>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value === undefined));

/** The name of a schedule, with proposals. */
function NameField({
  name,
  value,
  except,
  onChange,
}: {
  name: string;
  value: string;
  except: string;
  onChange: (text: string) => void;
}) {
  const { t } = useTranslation('inspector');
  const id = useId();
  const [words] = useDebouncedValue(value.trim(), SEARCH_DELAY);
  const { data: proposed } = useQuery(proposedQuery(words));
  return (
    <Field label={t('after.schedule')} name={name} required>
      {(control) => (
        <>
          <Input
            {...control}
            list={id}
            value={value}
            onChange={(event) => {
              onChange(event.currentTarget.value);
            }}
          />
          <datalist id={id}>
            {(proposed ?? [])
              .filter((one) => one.name !== except)
              .map((one) => (
                <option key={one.name} value={one.name} />
              ))}
          </datalist>
        </>
      )}
    </Field>
  );
}

interface WindowProps {
  name: string;
  value: string | undefined;
  /** The text for no window. */
  none: 'none' | 'each' | 'latest';
  alone: boolean;
  onChange: (window: string | undefined) => void;
}

/** The window of an upstream: a named one, or a text. */
function WindowField({ name, value, none, alone, onChange }: WindowProps) {
  const { t } = useTranslation('inspector');
  const [asText, setAsText] = useState(false);
  const named = NAMED.find((one) => one === value);
  const text = asText || (value !== undefined && named === undefined);
  return (
    <Field label={t('after.window')} name={name}>
      {(control) => (
        <span className={styles.counted}>
          <Choose
            {...control}
            value={text ? 'other' : (named ?? 'none')}
            options={[
              { value: 'none', label: t(`after.windows.${none}`) },
              ...NAMED.map((one) => ({ value: one, label: t(`after.windows.${one}`) })),
              ...(alone && !text ? [] : [{ value: 'other', label: t('after.windows.other') }]),
            ]}
            onPick={(picked) => {
              setAsText(picked === 'other');
              if (picked === 'other') onChange('last 6h');
              else onChange(picked === 'none' ? undefined : picked);
            }}
          />
          {text && (
            <Input
              aria-label={t('after.text')}
              mono
              value={value ?? ''}
              onChange={(event) => {
                onChange(event.currentTarget.value);
              }}
            />
          )}
        </span>
      )}
    </Field>
  );
}
