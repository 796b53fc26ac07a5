import { useState } from 'react';
import { Field, type FieldProps } from '../fields/Field';
import styles from '../fields/Field.module.css';
import { Pick } from '../fields/Text';
import { choiceOf, type SchemaField } from './model';
import { type FormContext, SchemaFields, withMember } from './SchemaForm';

interface Props extends FormContext {
  field: SchemaField;
  path: string;
  value: Readonly<Record<string, unknown>>;
  onChange: (value: unknown) => void;
  shared: FieldProps;
}

/** A value that is given in one of several ways. Changing the way keeps what both have. */
export function ChoiceFields({ field, path, value, onChange, shared, ...rest }: Props) {
  const choices = field.choices ?? [];
  const [picked, setPicked] = useState<number>();
  const at = picked ?? choiceOf(choices, value);
  const choice = choices[at];
  if (!choice) return null;
  const pick = (text: string) => {
    const to = Number(text);
    const next = choices[to];
    if (!next) return;
    setPicked(to);
    const kept = Object.entries(value).filter(([name]) => next.fields.some((one) => one.name === name));
    const made = { ...next.fixed, ...Object.fromEntries(kept) };
    onChange(Object.keys(made).length > 0 ? made : undefined);
  };
  return (
    <Field {...shared} group inside={choice.fields.map((one) => `${path}.${one.name}`)}>
      {() => (
        <div className={styles.group}>
          <Pick
            label={shared.label}
            options={choices.map((one, i) => ({ value: String(i), label: one.title }))}
            value={String(at)}
            onPick={pick}
          />
          <SchemaFields
            fields={choice.fields}
            path={path}
            value={value}
            {...rest}
            onChange={(name, next) => {
              onChange(withMember({ ...choice.fixed, ...value }, name, next));
            }}
          />
        </div>
      )}
    </Field>
  );
}
