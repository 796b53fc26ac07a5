import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { FieldProps } from '../fields/Field';
import { CodeField } from './CodeField';

/** Any value, as JSON. It is taken as soon as it is JSON; nothing takes the value away. */
export function JsonField({
  value,
  onChange,
  ...field
}: FieldProps & { value: unknown; onChange: (value: unknown) => void }) {
  const { t } = useTranslation('inspector');
  const [typed, setTyped] = useState<{ text: string; of: unknown }>();
  // What is typed holds as long as the value is the one that it made.
  const mine = typed !== undefined && JSON.stringify(typed.of) === JSON.stringify(value);
  const text = mine ? typed.text : value === undefined ? '' : JSON.stringify(value, null, 2);
  const read = parse(text);
  return (
    <CodeField
      {...field}
      language="json"
      value={text}
      refusal={read.wrong ? t('json.wrong') : field.refusal}
      onChange={(next) => {
        const { wrong, value: made } = parse(next);
        setTyped({ text: next, of: wrong ? value : made });
        if (!wrong) onChange(made);
      }}
    />
  );
}

function parse(text: string): { wrong: boolean; value?: unknown } {
  if (text.trim() === '') return { wrong: false };
  try {
    return { wrong: false, value: JSON.parse(text) };
  } catch {
    return { wrong: true };
  }
}
