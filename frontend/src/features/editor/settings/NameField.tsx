import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isName } from '@/document';
import { Field } from '../inspector/fields/Field';
import { Input } from '../inspector/fields/Text';

/** The name of a schedule. Once it is published its batches, links and files speak of it by that: it stays. */
export function NameField({
  value,
  isNew,
  onChange,
}: {
  value: string;
  isNew: boolean;
  onChange: (name: string) => void;
}) {
  const { t } = useTranslation('inspector');
  const [typed, setTyped] = useState<string>();
  const refusal = typed !== undefined && typed !== value && !isName(typed) ? t('name.form') : undefined;
  const commit = () => {
    if (typed !== undefined && typed !== value && !refusal) onChange(typed);
    setTyped(undefined);
  };
  return (
    <Field label={t('name.label')} name="name" note={isNew ? undefined : t('name.stays')} refusal={refusal}>
      {(control) => (
        <Input
          {...control}
          mono
          value={typed ?? value}
          readOnly={!isNew}
          maxLength={63}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
          }}
          onBlur={commit}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !refusal) commit();
            if (event.key === 'Escape') setTyped(undefined);
          }}
        />
      )}
    </Field>
  );
}
