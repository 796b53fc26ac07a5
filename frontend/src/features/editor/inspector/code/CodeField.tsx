import { type KeyboardEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CodeEditor } from '.';
import type { Name } from '../expression/complete';
import { Field, type FieldProps } from '../fields/Field';
import type { Language } from '../schema/model';
import styles from './Code.module.css';

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
        // eslint-disable-next-line jsx-a11y/no-static-element-interactions -- hears what comes out of the editor
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
          <CodeEditor
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
