import { useState } from 'react';
import { Field, type FieldProps } from '../inspector/fields/Field';
import { Input } from '../inspector/fields/Text';

interface Props extends FieldProps {
  value: readonly string[];
  placeholder?: string;
  onChange: (words: string[] | undefined) => void;
}

/** A short list of texts in one line, with commas between them. The document changes when the field is left. */
export function WordsField({ value, placeholder, onChange, ...field }: Props) {
  const [typed, setTyped] = useState<string>();
  const commit = () => {
    setTyped(undefined);
    if (typed === undefined) return;
    const words = wordsIn(typed);
    if (words.join('\n') !== value.join('\n')) onChange(words.length > 0 ? words : undefined);
  };
  return (
    <Field {...field}>
      {(control) => (
        <Input
          {...control}
          value={typed ?? value.join(', ')}
          placeholder={placeholder}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
          }}
          onBlur={commit}
          onKeyDown={(event) => {
            if (event.key === 'Enter') commit();
            if (event.key === 'Escape') setTyped(undefined);
          }}
        />
      )}
    </Field>
  );
}

/** The texts between commas, each once. */
export function wordsIn(text: string): string[] {
  const words = text.split(/[,，]/).map((word) => word.trim());
  return [...new Set(words.filter(Boolean))];
}
