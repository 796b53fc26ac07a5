import { SegmentedControl, TextInput } from '@mantine/core';
import type { Ref } from 'react';
import { useTranslation } from 'react-i18next';
import { EXISTING, type Form, MAX_PARALLEL, ON_FAILURE, ORDERS, parallelOf } from './form';
import styles from './Backfill.module.css';

interface Props {
  form: Form;
  change: (part: Partial<Form>) => void;
}

/** The fields that people write: the range, the step, and how many at once. */
export function RangeFields({ form, change, first }: Props & { first: Ref<HTMLInputElement> }) {
  const { t } = useTranslation('backfill');
  const parallelFault = parallelOf(form.parallel) === undefined;
  return (
    <div className={styles.pair}>
      <Field
        name="from"
        type="date"
        form={form}
        change={change}
        ref={first}
        error={form.from === '' ? t('dialog.fromMissing') : undefined}
      />
      <Field name="to" type="date" form={form} change={change} />
      <Field name="step" placeholder={t('dialog.stepOfTriggers')} form={form} change={change} />
      <Field
        name="parallel"
        inputMode="numeric"
        form={form}
        change={change}
        error={parallelFault ? t('dialog.parallelRange', { most: MAX_PARALLEL }) : undefined}
      />
    </div>
  );
}

interface FieldProps extends Props {
  name: 'from' | 'to' | 'step' | 'parallel';
  type?: 'date';
  inputMode?: 'numeric';
  placeholder?: string;
  error?: string;
  /** Given to the field that takes the focus. */
  ref?: Ref<HTMLInputElement>;
}

function Field({ name, form, change, ref, ...rest }: FieldProps) {
  const { t } = useTranslation('backfill');
  return (
    <TextInput
      {...rest}
      ref={ref}
      data-autofocus={ref ? true : undefined}
      label={t(`dialog.${name}`)}
      value={form[name]}
      autoComplete="off"
      spellCheck={false}
      onChange={(event) => {
        change({ [name]: event.currentTarget.value });
      }}
    />
  );
}

/** The settings with a few values each. */
export function Choices({ form, change }: Props) {
  const { t } = useTranslation('backfill');
  return (
    <div className={styles.choices}>
      <Choice
        label={t('dialog.order')}
        value={form.order}
        options={ORDERS.map((value) => ({ value, label: t(`dialog.orderOf.${value}`) }))}
        onChange={(order) => {
          change({ order });
        }}
      />
      <Choice
        label={t('dialog.onFailure')}
        value={form.onFailure}
        options={ON_FAILURE.map((value) => ({ value, label: t(`dialog.onFailureOf.${value}`) }))}
        onChange={(onFailure) => {
          change({ onFailure });
        }}
      />
      <Choice
        label={t('dialog.existing')}
        value={form.existing}
        options={EXISTING.map((value) => ({ value, label: t(`dialog.existingOf.${value}`) }))}
        onChange={(existing) => {
          change({ existing });
        }}
      />
    </div>
  );
}

interface ChoiceProps<V extends string> {
  label: string;
  value: V;
  options: { value: V; label: string }[];
  onChange: (value: V) => void;
}

function Choice<V extends string>({ label, value, options, onChange }: ChoiceProps<V>) {
  return (
    <fieldset className={styles.choice}>
      <legend>{label}</legend>
      <SegmentedControl
        fullWidth
        aria-label={label}
        value={value}
        onChange={(chosen) => {
          const option = options.find((o) => o.value === chosen);
          if (option) onChange(option.value);
        }}
        data={options}
      />
    </fieldset>
  );
}
