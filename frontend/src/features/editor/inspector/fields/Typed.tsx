import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { readDuration, writeDuration } from '@/ui';
import { durationText } from '../../shell/fieldTexts';
import { type Control, Field, type FieldProps } from './Field';
import styles from './Field.module.css';
import { Input } from './Text';

interface DurationProps {
  /** In the format of documents: `10m`. Undefined is the default. */
  value?: string;
  onChange: (value: string | undefined) => void;
  placeholder?: string;
}

/**
 * Reads a duration while it is typed. A text that is no duration stays in the document, so that its fault is shown and
 * nothing typed is lost.
 */
function useDuration({ value, onChange, placeholder }: DurationProps) {
  const { t } = useTranslation('inspector');
  const [typed, setTyped] = useState<string>();
  const parsed = value === undefined ? undefined : readDuration(value);
  const shown = value === undefined ? '' : parsed === undefined ? value : durationText(parsed, t);
  const typedDuration = typed === undefined ? undefined : readDuration(typed);
  return {
    props: {
      value: typed ?? shown,
      placeholder,
      inputMode: 'text' as const,
      onChange: (event: { currentTarget: { value: string } }) => {
        const text = event.currentTarget.value;
        setTyped(text);
        const ms = readDuration(text);
        if (text.trim() === '') onChange(undefined);
        else if (ms !== undefined) onChange(writeDuration(ms));
      },
      onBlur: () => {
        if (typed !== undefined && typed.trim() !== '' && readDuration(typed) === undefined) onChange(typed.trim());
        setTyped(undefined);
      },
    },
    understood:
      typedDuration !== undefined && typed?.trim() !== shown ? `= ${durationText(typedDuration, t)}` : undefined,
    refusal: typed !== undefined && typed.trim() !== '' && typedDuration === undefined ? t('duration.what') : undefined,
  };
}

/**
 * A field for a duration, such as `10 min`, `1h30m` or `90`. It shows the duration in words once the focus leaves it.
 */
export function DurationField({ value, onChange, placeholder, note, ...field }: FieldProps & DurationProps) {
  const { props, understood, refusal } = useDuration({ value, onChange, placeholder });
  return (
    <Field {...field} note={understood ?? note} refusal={refusal}>
      {(control) => <Input {...control} {...props} />}
    </Field>
  );
}

/** The same input without a field around it, for a sentence with several inputs. */
export function DurationInput({ label, control, ...rest }: DurationProps & { label: string; control?: Control }) {
  const { props, understood, refusal } = useDuration(rest);
  return (
    <Input
      {...control}
      {...props}
      aria-label={label}
      aria-invalid={refusal !== undefined || undefined}
      title={refusal ?? understood}
    />
  );
}

interface NumberProps {
  value: number | string | undefined;
  onChange: (value: number | string | undefined) => void;
  integer?: boolean;
  min?: number;
  max?: number;
  placeholder?: string;
  unit?: string;
  /** Texts with an expression are allowed too. */
  expressions?: boolean;
}

/** Reads a number while it is typed. With `expressions`, it also takes a text that holds an expression. */
export function useNumber({ value, onChange, integer, min, max, expressions }: NumberProps) {
  const { t } = useTranslation('inspector');
  const [typed, setTyped] = useState<string>();
  const read = (text: string): number | string | undefined => {
    if (expressions && text.includes('${{')) return text;
    const n = Number(text.trim().replace(',', '.'));
    if (text.trim() === '' || !Number.isFinite(n) || (integer && !Number.isInteger(n))) return undefined;
    return (min !== undefined && n < min) || (max !== undefined && n > max) ? undefined : n;
  };
  const bounds =
    min !== undefined && max !== undefined
      ? t('number.between', { min, max })
      : min !== undefined
        ? t('number.atLeast', { min })
        : max !== undefined
          ? t('number.atMost', { max })
          : t(integer ? 'number.integer' : 'number.any');
  return {
    props: {
      value: typed ?? (value === undefined ? '' : String(value)),
      inputMode: integer ? ('numeric' as const) : ('decimal' as const),
      onChange: (event: { currentTarget: { value: string } }) => {
        const text = event.currentTarget.value;
        setTyped(text);
        const n = read(text);
        if (text.trim() === '' || n !== undefined) onChange(n);
      },
      onBlur: () => {
        setTyped(undefined);
      },
    },
    refusal: typed !== undefined && typed.trim() !== '' && read(typed) === undefined ? bounds : undefined,
  };
}

/** A field for a number. `onChange` gets undefined for an empty field, and no call for a text that is not allowed. */
export function NumberField({
  value,
  onChange,
  integer,
  min,
  max,
  placeholder,
  unit,
  expressions,
  ...field
}: FieldProps & NumberProps) {
  const { props, refusal } = useNumber({ value, onChange, integer, min, max, expressions });
  return (
    <Field {...field} refusal={refusal}>
      {(control) =>
        unit ? (
          <div className={styles.unit}>
            <Input {...control} {...props} placeholder={placeholder} />
            <span>{unit}</span>
          </div>
        ) : (
          <Input {...control} {...props} placeholder={placeholder} />
        )
      }
    </Field>
  );
}
