import { Switch, TextInput } from '@mantine/core';
import type { Ref } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { faultText } from '@/api/problem';
import type { ParamField, Typed } from './params';

/** The declared params of a schedule, as fields of a dialog. */
export interface FieldsProps {
  fields: readonly ParamField[];
  typed: Typed;
  faults: ReadonlyMap<string, Schemas['Fault']>;
  /** Names of the fields whose text is not a number. */
  invalid: readonly string[];
  firstField?: Ref<HTMLInputElement>;
  onChange: (name: string, value: string | boolean) => void;
}

/** One field for each declared param. */
export function ParamFields({ fields, typed, faults, invalid, firstField, onChange }: FieldsProps) {
  const { t } = useTranslation('run');
  const { t: problems } = useTranslation('problems');
  return (
    <>
      {fields.map((field, i) => {
        const fault = faults.get(field.name);
        return (
          <ParamInput
            key={field.name}
            field={field}
            ref={i === 0 ? firstField : undefined}
            value={
              typed[field.name] ?? (field.kind === 'boolean' ? (field.declared as boolean) : String(field.declared))
            }
            error={fault ? faultText(fault, problems) : invalid.includes(field.name) ? t('notNumber') : undefined}
            onChange={(value) => {
              onChange(field.name, value);
            }}
          />
        );
      })}
    </>
  );
}

interface ParamInputProps {
  field: ParamField;
  /** Given to the first field, which takes the focus. */
  ref?: Ref<HTMLInputElement>;
  value: string | boolean;
  error?: string;
  onChange: (value: string | boolean) => void;
}

/** The input for a declared param. It is filled with the declared value at first. */
function ParamInput({ field, ref, value, error, onChange }: ParamInputProps) {
  const { t } = useTranslation('run');
  const focus = ref ? true : undefined;
  if (field.kind === 'boolean') {
    return (
      <Switch
        ref={ref}
        data-autofocus={focus}
        label={field.name}
        checked={value === true}
        error={error}
        onChange={(event) => {
          onChange(event.currentTarget.checked);
        }}
      />
    );
  }
  const changed = value !== String(field.declared);
  return (
    <TextInput
      ref={ref}
      data-autofocus={focus}
      label={field.name}
      inputMode={field.kind === 'number' ? 'decimal' : undefined}
      value={String(value)}
      error={error}
      description={changed ? t('declared', { value: String(field.declared) }) : undefined}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      spellCheck={false}
      autoComplete="off"
      onChange={(event) => {
        onChange(event.currentTarget.value);
      }}
    />
  );
}
