import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isKey, MAX } from '@/document';
import { Field } from '../fields/Field';
import { Input } from '../fields/Text';

interface Props {
  value: string;
  /** Keys of the others, which it may not have. */
  taken: readonly string[];
  onRename: (key: string) => void;
}

/**
 * The key of a task or job. A new key takes effect when the focus leaves the field, because others refer to the item by
 * its key. A key that is not allowed stays in the field, with the reason.
 */
export function KeyField({ value, taken, onRename }: Props) {
  const { t } = useTranslation('inspector');
  const [draft, setDraft] = useState<{ of: string; text: string }>();
  const typed = draft?.of === value ? draft.text : undefined;
  const refusal =
    typed === undefined || typed === value
      ? undefined
      : !isKey(typed)
        ? t('key.form')
        : taken.some((key) => key.toLowerCase() === typed.toLowerCase())
          ? t('key.taken', { key: typed })
          : undefined;
  const commit = () => {
    if (refusal !== undefined) return;
    if (typed !== undefined && typed !== value) onRename(typed);
    setDraft(undefined);
  };
  return (
    <Field label={t('key.label')} name="key" refusal={refusal}>
      {(control) => (
        <Input
          {...control}
          value={typed ?? value}
          maxLength={MAX.key}
          onChange={(event) => {
            setDraft({ of: value, text: event.currentTarget.value });
          }}
          onBlur={commit}
          onKeyDown={(event) => {
            if (event.key === 'Enter') commit();
            if (event.key === 'Escape' && typed !== undefined) {
              event.preventDefault();
              setDraft(undefined);
            }
          }}
        />
      )}
    </Field>
  );
}
