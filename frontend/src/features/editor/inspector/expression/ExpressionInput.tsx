import { useTranslation } from 'react-i18next';
import type { Control } from '../fields/Field';
import { Suggest } from '../fields/Suggest';
import { complete, completed, type Name } from './complete';

interface Props extends Partial<Control> {
  value: string;
  onChange: (text: string) => void;
  names: readonly Name[];
  /** The whole text is an expression, not only what stands in `${{ … }}`. */
  bare?: boolean;
  placeholder?: string;
  multiline?: boolean;
  mono?: boolean;
  'aria-label'?: string;
  onBlur?: () => void;
}

/** A text that may hold expressions: the names that they may use are offered. */
export function ExpressionInput({ value, onChange, names, bare = false, ...rest }: Props) {
  const { t } = useTranslation('inspector');
  return (
    <Suggest
      {...rest}
      value={value}
      onChange={onChange}
      whileTyping
      offer={(text, caret) =>
        (complete(text, caret, names, bare)?.names ?? []).map((name) => ({
          value: name.text,
          detail: name.value ?? t(`about.${name.about}`),
        }))
      }
      onPick={(picked, text, caret) => {
        const found = complete(text, caret, names, bare);
        if (!found) return undefined;
        const done = completed(text, found, picked, bare);
        onChange(done.text);
        return done.caret;
      }}
    />
  );
}
