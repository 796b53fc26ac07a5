import { Checkbox, Textarea, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { readDuration, writeDuration } from '@/ui';
import { readNames, toggled } from './document';
import type { Form } from './useDocument';
import styles from './Form.module.css';

interface FieldProps {
  form: Pick<Form<unknown>, 'faultOf' | 'warningOf'>;
  /** The place of the value in the document. */
  path: string;
  label: string;
  description?: ReactNode;
  placeholder?: string;
  required?: boolean;
  disabled?: boolean;
  /** The field takes the first focus in its dialog. */
  first?: boolean;
}

interface TextProps extends FieldProps {
  value: string | undefined;
  onChange: (value: string) => void;
  onBlur?: () => void;
  /** More than one line. */
  rows?: number;
  mono?: boolean;
}

/** A text with its faults. */
export function TextField({ form, path, value, onChange, rows, mono, first, required, ...rest }: TextProps) {
  const shared = {
    ...rest,
    value: value ?? '',
    'data-autofocus': first,
    withAsterisk: required,
    'aria-required': required,
    spellCheck: false,
    autoComplete: 'off',
    description: <Notes description={rest.description} warning={form.warningOf(path)} />,
    error: form.faultOf(path),
    classNames: mono ? { input: styles.mono } : undefined,
    onChange: (event: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) => {
      onChange(event.currentTarget.value);
    },
  };
  if (!rest.description && !form.warningOf(path)) shared.description = undefined as never;
  return rows ? <Textarea {...shared} autosize minRows={rows} maxRows={12} /> : <TextInput {...shared} />;
}

function Notes({ description, warning }: { description?: ReactNode; warning?: string }) {
  return (
    <>
      {description}
      {warning && <span className={styles.warning}>{warning}</span>}
    </>
  );
}

interface ListProps extends FieldProps {
  value: readonly string[] | undefined;
  onChange: (value: string[]) => void;
}

/** Names in one line, with commas between them. */
export function ListField({ value = [], onChange, ...rest }: ListProps) {
  const [typed, setTyped] = useState<string>();
  const shown = typed !== undefined && readNames(typed).join('\n') === value.join('\n') ? typed : value.join(', ');
  return (
    <TextField
      {...rest}
      value={shown}
      onChange={(text) => {
        setTyped(text);
        onChange(readNames(text));
      }}
      onBlur={() => {
        setTyped(undefined);
      }}
    />
  );
}

interface DurationProps extends FieldProps {
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

/** A duration. What people write, such as `15 minutes`, becomes `15m` when the field loses the focus. */
export function DurationField({ value, onChange, ...rest }: DurationProps) {
  return (
    <TextField
      {...rest}
      value={value}
      onChange={(text) => {
        onChange(text || undefined);
      }}
      onBlur={() => {
        const ms = value === undefined ? undefined : readDuration(value);
        if (ms !== undefined && writeDuration(ms) !== value) onChange(writeDuration(ms));
      }}
    />
  );
}

interface ChoicesProps<T extends string> extends Pick<FieldProps, 'form' | 'path' | 'label' | 'required'> {
  all: readonly T[];
  chosen: readonly T[];
  text?: (one: T) => string;
  detail?: (one: T) => string | undefined;
  disabled?: (one: T) => boolean;
  /** Short choices stand beside each other. */
  inline?: boolean;
  onChange: (chosen: T[], one: T, on: boolean) => void;
  empty?: ReactNode;
}

/** Some of several values, as checkboxes. Values that are not known are listed too, so that one can remove them. */
export function Choices<T extends string>(props: ChoicesProps<T>) {
  const { form, path, label, required, all, chosen, text = String, detail, disabled, inline, onChange, empty } = props;
  const { t } = useTranslation('alerts');
  const fault = form.faultOf(path);
  const list = [...new Set([...all, ...chosen])];
  return (
    <fieldset className={styles.choices} data-inline={inline}>
      <legend>
        {label}
        {required && (
          <span aria-hidden className={styles.asterisk}>
            {' '}
            *
          </span>
        )}
      </legend>
      {list.length === 0 && empty}
      {list.map((one) => (
        <Checkbox
          key={one}
          size="sm"
          label={<bdi>{text(one)}</bdi>}
          description={all.includes(one) ? detail?.(one) : t('form.unknown')}
          checked={chosen.includes(one)}
          disabled={disabled?.(one) && !chosen.includes(one)}
          aria-invalid={fault ? true : undefined}
          onChange={(event) => {
            const { checked } = event.currentTarget;
            onChange(toggled(chosen, one, checked, all), one, checked);
          }}
        />
      ))}
      {fault && (
        <p className={styles.fault} role="alert">
          {fault}
        </p>
      )}
    </fieldset>
  );
}
