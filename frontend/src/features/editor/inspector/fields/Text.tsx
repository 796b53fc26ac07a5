import { type ComponentProps, useEffect, useId, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { faultText } from '@/document';
import { Field, type FieldProps } from './Field';
import { useFaultsAt } from '../faults';
import styles from './Field.module.css';

/** Joins the class names that are set; false, undefined and empty ones are left out. */
export const classes = (...names: (string | false | undefined)[]) => names.filter(Boolean).join(' ');

/** An input in the style of the fields. */
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

/** A choice from some values, as the browser's own list. */
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

/** A field for a choice from some values. */
export function ChooseField({ options, value, quiet, onPick, ...field }: ChooseProps) {
  return (
    <Field {...field}>
      {(control) => <Choose {...control} options={options} value={value} quiet={quiet} onPick={onPick} />}
    </Field>
  );
}

/** A row of buttons, exactly one of them pressed. The choice changes the shown fields. */
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

interface CheckProps {
  label: string;
  name: string;
  note?: string;
  checked: boolean;
  mixed?: boolean;
  onChange: (checked: boolean) => void;
}

/** A checkbox with its note and faults. */
export function Check({ label, name, note, checked, mixed = false, onChange }: CheckProps) {
  const { t } = useTranslation('document');
  const id = useId();
  const box = useRef<HTMLInputElement>(null);
  const faults = useFaultsAt(name);
  useEffect(() => {
    if (box.current) box.current.indeterminate = mixed;
  }, [mixed]);
  return (
    <div className={styles.check} data-field={name}>
      <input
        ref={box}
        id={id}
        type="checkbox"
        checked={checked}
        aria-describedby={note || faults.length > 0 ? `${id}-about` : undefined}
        onChange={(event) => {
          onChange(event.currentTarget.checked);
        }}
      />
      <label htmlFor={id}>{label}</label>
      {(note || faults.length > 0) && (
        <p id={`${id}-about`} className={styles.note}>
          {note}
          {faults.map((fault, i) => (
            <span key={i} className={styles.fault}>
              {faultText(t, fault).message}
            </span>
          ))}
        </p>
      )}
    </div>
  );
}

const ICON_PATHS = {
  close: 'm4 4 8 8m0-8-8 8',
  plus: 'M8 3.5v9M3.5 8h9',
  up: 'm4 9.5 4-4 4 4',
  down: 'm4 6.5 4 4 4-4',
  trash: 'M3.5 4.5h9M6.5 4.5v-1h3v1m-5 0 .6 8h5.8l.6-8',
} as const;

/** A small icon beside a text, or in a button whose label is the text. */
export function Icon({ name }: { name: keyof typeof ICON_PATHS }) {
  return (
    <svg
      width={16}
      height={16}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.4}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden
    >
      <path d={ICON_PATHS[name]} />
    </svg>
  );
}
