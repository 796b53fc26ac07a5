import { TextInput } from '@mantine/core';
import type { Ref } from 'react';
import { useTranslation } from 'react-i18next';

interface Props {
  ref: Ref<HTMLInputElement>;
  value: string;
  /** Of what the example speaks. */
  kind: 'repair' | 'cancel' | 'close';
  needed: boolean;
  missing: boolean;
  disabled: boolean;
  onChange: (value: string) => void;
  onEnter: () => void;
}

/** Why somebody does it: for those who come after. */
export function NoteField({ ref, value, kind, needed, missing, disabled, onChange, onEnter }: Props) {
  const { t } = useTranslation('repair');
  return (
    <TextInput
      ref={ref}
      label={t(needed ? 'noteNeeded' : 'note')}
      placeholder={t(`noteExample.${kind}`)}
      value={value}
      maxLength={1000}
      required={needed}
      withAsterisk={false}
      readOnly={disabled}
      error={missing && t('noteMissing')}
      onChange={(event) => {
        onChange(event.currentTarget.value);
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) onEnter();
      }}
    />
  );
}
