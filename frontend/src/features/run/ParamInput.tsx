import { Switch, TextInput } from '@mantine/core';
import type { Ref } from 'react';
import { useTranslation } from 'react-i18next';
import type { ParamField } from './params';

interface Props {
  field: ParamField;
  /** Of the first field, which takes the focus. */
  ref?: Ref<HTMLInputElement>;
  value: string | boolean;
  error?: string;
  onChange: (value: string | boolean) => void;
}

/** A declared param as a field of its kind, beginning with what is declared. */
export function ParamInput({ field, ref, value, error, onChange }: Props) {
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
