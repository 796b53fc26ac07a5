import type { ComponentProps } from 'react';
import { Field, type FieldProps } from './Field';
import styles from './Field.module.css';

/** Joins the class names that are set; false, undefined and empty ones are left out. */
export const classes = (...names: (string | false | undefined)[]) => names.filter(Boolean).join(' ');

/** An input in HiveGo's face. */
export function Input({ mono, className, ...rest }: ComponentProps<'input'> & { mono?: boolean }) {
  return (
    <input
      className={classes(styles.input, mono && styles.mono, className)}
      autoComplete="off"
      spellCheck={false}
      {...rest}
    />
  );
}

interface Option {
  value: string;
  label: string;
}

/** One of some values, by the browser's own list. */
export function Choose({
  options,
  value,
  onPick,
  quiet,
  ...rest
}: Omit<ComponentProps<'select'>, 'onChange' | 'value'> & {
  options: readonly Option[];
  value: string;
  /** It is at its default. */
  quiet?: boolean;
  onPick: (value: string) => void;
}) {
  return (
    <span className={styles.selectBox}>
      <select
        className={styles.select}
        data-quiet={quiet || undefined}
        value={value}
        onChange={(event) => {
          onPick(event.currentTarget.value);
        }}
        {...rest}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </span>
  );
}

interface TextProps extends FieldProps {
  value: string;
  onChange: (text: string) => void;
  placeholder?: string;
  mono?: boolean;
  secret?: boolean;
  multiline?: boolean;
}

/** A text field that reports each change while the author types. */
export function TextField({ value, onChange, placeholder, mono, secret, multiline, ...field }: TextProps) {
  return (
    <Field {...field}>
      {(control) =>
        multiline ? (
          <textarea
            {...control}
            className={classes(styles.area, mono && styles.mono)}
            rows={2}
            value={value}
            placeholder={placeholder}
            spellCheck={!mono}
            onChange={(event) => {
              onChange(event.currentTarget.value);
            }}
          />
        ) : (
          <Input
            {...control}
            mono={mono}
            type={secret ? 'password' : 'text'}
            value={value}
            placeholder={placeholder}
            onChange={(event) => {
              onChange(event.currentTarget.value);
            }}
          />
        )
      }
    </Field>
  );
}

interface ChooseProps extends FieldProps {
  options: readonly Option[];
  value: string;
  quiet?: boolean;
  onPick: (value: string) => void;
}

/** One of some values. */
export function ChooseField({ options, value, quiet, onPick, ...field }: ChooseProps) {
  return (
    <Field {...field}>
      {(control) => <Choose {...control} options={options} value={value} quiet={quiet} onPick={onPick} />}
    </Field>
  );
}

/** A row of buttons, exactly one of them pressed. The choice changes what is shown. */
export function Pick({
  label,
  options,
  value,
  onPick,
}: {
  label: string;
  options: readonly Option[];
  value: string;
  onPick: (value: string) => void;
}) {
  return (
    <div className={styles.pick} role="group" aria-label={label}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          onClick={() => {
            onPick(option.value);
          }}
        >
          {option.label}
        </button>
      ))}
    </div>
  );
}
