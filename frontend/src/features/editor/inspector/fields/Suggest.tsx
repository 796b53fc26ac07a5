import { Combobox, useCombobox } from '@mantine/core';
import { type ComponentProps, type KeyboardEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { classes } from './Text';
import { type Control, Field, type FieldProps } from './Field';
import { completionAt, insertName, type Name } from './completion';
import styles from './Field.module.css';

/** A value that can be picked. */
export interface Suggestion {
  value: string;
  label?: string;
  detail?: string;
  refused?: boolean;
}

interface SuggestProps extends Pick<
  ComponentProps<'input'>,
  'id' | 'aria-describedby' | 'aria-invalid' | 'aria-label' | 'aria-required' | 'placeholder'
> {
  value: string;
  onChange: (text: string) => void;
  /** The suggestions for a text with the caret at a position; an empty list closes the dropdown. */
  suggest: (text: string, caret: number) => readonly Suggestion[];
  /** Called for a picked value. Returns the new position of the caret; undefined closes the list. */
  onPick: (value: string, text: string, caret: number) => number | undefined;
  /** The list opens only while typing, not by clicking. */
  whileTyping?: boolean;
  multiline?: boolean;
  mono?: boolean;
  onKeyDown?: (event: KeyboardEvent) => void;
  onBlur?: () => void;
}

/** A text field with a list of suggestions. */
export function Suggest({
  value,
  onChange,
  suggest,
  onPick,
  whileTyping,
  multiline,
  mono,
  onKeyDown,
  onBlur,
  ...control
}: SuggestProps) {
  const combobox = useCombobox({
    onDropdownClose: () => {
      combobox.resetSelectedOption();
    },
  });
  const [caret, setCaret] = useState(0);
  const field = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  const suggestions = combobox.dropdownOpened ? suggest(value, caret) : [];
  const opened = suggestions.length > 0;
  const pick = (picked: string) => {
    const to = onPick(picked, value, caret);
    if (to === undefined) {
      combobox.closeDropdown();
      return;
    }
    setCaret(to);
    requestAnimationFrame(() => {
      field.current?.setSelectionRange(to, to);
    });
  };
  const shared = {
    ...control,
    value,
    ref: field,
    spellCheck: false,
    onChange: (event: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) => {
      setCaret(event.currentTarget.selectionStart ?? event.currentTarget.value.length);
      onChange(event.currentTarget.value);
      combobox.openDropdown();
      combobox.updateSelectedOptionIndex();
    },
    onClick: () => {
      if (!whileTyping) combobox.openDropdown();
    },
    onBlur: () => {
      combobox.closeDropdown();
      onBlur?.();
    },
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key === 'Escape' && opened) {
        event.preventDefault();
        event.stopPropagation();
        combobox.closeDropdown();
        return;
      }
      if (event.key === 'Enter' && combobox.getSelectedOptionIndex() < 0) combobox.closeDropdown();
      onKeyDown?.(event);
    },
  };
  return (
    <Combobox
      store={combobox}
      onOptionSubmit={pick}
      withinPortal={false}
      position="bottom-start"
      offset={4}
      width="max-content"
      middlewares={{ flip: true, shift: true }}
    >
      <Combobox.Target withKeyboardNavigation={opened || !(multiline ?? whileTyping)} withExpandedAttribute>
        {multiline ? (
          <textarea {...shared} rows={2} className={classes(styles.area, mono && styles.mono)} />
        ) : (
          <input {...shared} autoComplete="off" className={classes(styles.input, mono && styles.mono)} />
        )}
      </Combobox.Target>
      <Combobox.Dropdown hidden={!opened} className={styles.menu} p={0}>
        <Combobox.Options className={styles.options}>
          {suggestions.map((one) => (
            <Combobox.Option
              key={one.value}
              value={one.value}
              className={styles.option}
              data-refused={one.refused || undefined}
            >
              <span>{one.label ?? one.value}</span>
              {one.detail && <small>{one.detail}</small>}
            </Combobox.Option>
          ))}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}

interface ComboProps extends FieldProps {
  value: string;
  suggestions: readonly Suggestion[];
  placeholder?: string;
  mono?: boolean;
  /** The value changes when the field loses the focus or a suggestion is picked, not with each key. */
  commitOnBlur?: boolean;
  /** The text beside a suggestion, for texts that are too slow to compute for all suggestions. */
  detail?: (value: string) => string;
  onChange: (value: string) => void;
}

/** The suggestions that match a typed text: first those that begin with it, then those that contain it. */
export function matching(suggestions: readonly Suggestion[], typed: string): Suggestion[] {
  const lower = typed.trim().toLowerCase();
  const rank = (suggestion: Suggestion) => {
    const all = [suggestion.value, suggestion.label ?? ''].map((text) => text.toLowerCase());
    return all.some((text) => text.startsWith(lower)) ? 0 : all.some((text) => text.includes(lower)) ? 1 : 2;
  };
  return suggestions
    .filter((suggestion) => rank(suggestion) < 2)
    .sort((a, b) => rank(a) - rank(b))
    .slice(0, 100);
}

/** A text field that suggests the usual values. */
export function Combo({ value, suggestions, placeholder, mono, commitOnBlur, detail, onChange, ...field }: ComboProps) {
  const [typed, setTyped] = useState<string>();
  const commit = () => {
    if (commitOnBlur && typed !== undefined && typed.trim() !== value) onChange(typed.trim());
    setTyped(undefined);
  };
  return (
    <Field {...field}>
      {(control) => (
        <Suggest
          {...control}
          value={typed ?? value}
          placeholder={placeholder}
          mono={mono}
          suggest={() =>
            matching(suggestions, typed ?? '').map((one) => (detail ? { ...one, detail: detail(one.value) } : one))
          }
          onChange={(text) => {
            setTyped(text);
            if (!commitOnBlur) onChange(text.trim());
          }}
          onPick={(picked) => {
            setTyped(undefined);
            onChange(picked);
            return undefined;
          }}
          onBlur={commit}
          onKeyDown={(event) => {
            if (event.key === 'Enter') commit();
            else if (event.key === 'Escape') setTyped(undefined);
          }}
        />
      )}
    </Field>
  );
}

interface ExpressionInputProps extends Partial<Control> {
  value: string;
  onChange: (text: string) => void;
  names: readonly Name[];
  /** The usual values of the whole text. */
  suggestions?: readonly Suggestion[];
  /** The whole text is an expression, not only the part in `${{ … }}`. */
  bare?: boolean;
  placeholder?: string;
  multiline?: boolean;
  mono?: boolean;
  'aria-label'?: string;
  onBlur?: () => void;
}

/** A text field for a text with expressions; it suggests the names that expressions may use. */
export function ExpressionInput({ value, onChange, names, suggestions, bare = false, ...rest }: ExpressionInputProps) {
  const { t } = useTranslation('inspector');
  return (
    <Suggest
      {...rest}
      value={value}
      onChange={onChange}
      whileTyping={!suggestions?.length}
      suggest={(text, caret) =>
        completionAt(text, caret, names, bare)?.names.map((name) => ({
          value: name.text,
          detail: name.value ?? t(`about.${name.about}`),
        })) ?? matching(suggestions ?? [], text).filter((one) => one.value !== text)
      }
      onPick={(picked, text, caret) => {
        const completion = completionAt(text, caret, names, bare);
        if (!completion) {
          onChange(picked);
          return undefined;
        }
        const result = insertName(text, completion, picked, bare);
        onChange(result.text);
        return result.caret;
      }}
    />
  );
}
