import { TextInput } from '@mantine/core';
import { useId, useState } from 'react';

interface TextFilterProps {
  label: string;
  /** The label is above the field, and not in it. */
  above?: boolean;
  hint: string;
  /** The text that is applied. */
  value: string;
  suggestions?: readonly string[];
  /** What is wrong with a text. */
  fault?: (text: string) => string | undefined;
  onApply: (text: string) => void;
}

/**
 * A filter that is a text. It is applied by Enter, and when the field loses the focus. When the address has another
 * text, the field has it too, and keeps the focus.
 */
export function TextFilter({ label, above, hint, value, suggestions, fault, onApply }: TextFilterProps) {
  const list = useId();
  const [applied, setApplied] = useState(value);
  const [text, setText] = useState(value);
  const [error, setError] = useState<string>();
  if (applied !== value) {
    setApplied(value);
    setText(value);
    setError(undefined);
  }
  const apply = () => {
    const next = text.trim();
    const wrong = fault?.(next);
    setError(wrong);
    if (wrong === undefined && next !== value) onApply(next);
  };
  return (
    <>
      <TextInput
        {...(above ? { label } : { 'aria-label': label, placeholder: label })}
        title={hint}
        list={suggestions && list}
        autoComplete="off"
        value={text}
        error={error}
        onChange={(e) => {
          setText(e.currentTarget.value);
        }}
        onBlur={apply}
        onKeyDown={(e) => {
          if (e.key === 'Enter' && !e.nativeEvent.isComposing) apply();
        }}
      />
      {suggestions && (
        <datalist id={list}>
          {suggestions.map((s) => (
            <option key={s} value={s} />
          ))}
        </datalist>
      )}
    </>
  );
}
