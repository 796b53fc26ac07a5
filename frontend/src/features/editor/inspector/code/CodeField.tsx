import { type KeyboardEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Name } from '../fields/completion';
import { Field, type FieldProps } from '../fields/Field';
import type { Language } from '../schema/model';
import { LazyCodeEditor } from './LazyCodeEditor';
import styles from '../fields/Field.module.css';

interface Props extends FieldProps {
  value: string;
  onChange: (text: string) => void;
  language: Language;
  names?: readonly { label: string; detail?: string }[];
  expressions?: readonly Name[];
  placeholder?: string;
}

const NONE = [] as const;

/** A field for code, with colours and names to complete. */
export function CodeField({
  value,
  onChange,
  language,
  names = NONE,
  expressions,
  placeholder,
  note,
  ...field
}: Props) {
  const { t } = useTranslation('inspector');
  const [inside, setInside] = useState(false);
  // Escape lets Tab leave the editor; it does not leave the drawer.
  const keys = (event: KeyboardEvent) => {
    if (event.key === 'Escape') event.stopPropagation();
  };
  return (
    <Field {...field} note={inside ? t('code.leave') : note}>
      {(control) => (
        // eslint-disable-next-line jsx-a11y/no-static-element-interactions -- handles events of the editor
        <div
          className={styles.code}
          onFocus={() => {
            setInside(true);
          }}
          onBlur={() => {
            setInside(false);
          }}
          onKeyDown={keys}
        >
          <LazyCodeEditor
            value={value}
            onChange={onChange}
            language={language}
            names={names}
            expressions={expressions}
            placeholder={placeholder}
            control={control}
            label={field.label}
          />
        </div>
      )}
    </Field>
  );
}

/** Any value as JSON. A typed text becomes the value as soon as it is valid; an empty text removes the value. */
export function JsonField({
  value,
  onChange,
  ...field
}: FieldProps & { value: unknown; onChange: (value: unknown) => void }) {
  const { t } = useTranslation('inspector');
  const [typed, setTyped] = useState<{ text: string; of: unknown }>();
  // The typed text is shown as long as the value is the one that the text set.
  const isCurrent = typed !== undefined && JSON.stringify(typed.of) === JSON.stringify(value);
  const text = isCurrent ? typed.text : value === undefined ? '' : JSON.stringify(value, null, 2);
  const parsed = parse(text);
  return (
    <CodeField
      {...field}
      language="json"
      value={text}
      refusal={parsed.wrong ? t('json.wrong') : field.refusal}
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
