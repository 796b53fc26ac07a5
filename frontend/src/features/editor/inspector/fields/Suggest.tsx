import { Combobox, useCombobox } from '@mantine/core';
import { type ComponentProps, type KeyboardEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { classes } from './Text';
import { type Control, Field, type FieldProps } from './Field';
import { complete, completed, type Name } from './completion';
import styles from './Field.module.css';

/** Something that can be picked. */
export interface Offer {
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
  /** What is offered for a text with the caret at a place; none closes the list. */
  offer: (text: string, caret: number) => readonly Offer[];
  /** Something was picked; the caret goes to the place that is answered, else to the end. */
  onPick: (value: string, text: string, caret: number) => number | undefined;
  /** The list opens only while typing, not by clicking. */
  whileTyping?: boolean;
  multiline?: boolean;
  mono?: boolean;
  onKeyDown?: (event: KeyboardEvent) => void;
  onBlur?: () => void;
}

/** A text field that offers what can be written in it. */
export function Suggest({
  value,
  onChange,
  offer,
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
  const offers = combobox.dropdownOpened ? offer(value, caret) : [];
  const opened = offers.length > 0;
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
          {offers.map((one) => (
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
  offers: readonly Offer[];
  placeholder?: string;
  mono?: boolean;
  /** Taken when it is left or picked, not while it is typed. */
  late?: boolean;
  /** What is said beside an offer, where that is worth asking for those only that are seen. */
  detail?: (value: string) => string;
  onChange: (value: string) => void;
}

/** The offers that a typed text may mean: those that begin with it, then those that hold it. */
export function matching(offers: readonly Offer[], typed: string): Offer[] {
  const low = typed.trim().toLowerCase();
  const rank = (offer: Offer) => {
    const all = [offer.value, offer.label ?? ''].map((text) => text.toLowerCase());
    return all.some((text) => text.startsWith(low)) ? 0 : all.some((text) => text.includes(low)) ? 1 : 2;
  };
  return offers
    .filter((offer) => rank(offer) < 2)
    .sort((a, b) => rank(a) - rank(b))
    .slice(0, 100);
}

/** A text field that offers the usual texts. */
export function Combo({ value, offers, placeholder, mono, late, detail, onChange, ...field }: ComboProps) {
  const [typed, setTyped] = useState<string>();
  const commit = () => {
    if (late && typed !== undefined && typed.trim() !== value) onChange(typed.trim());
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
          offer={() =>
            matching(offers, typed ?? '').map((one) => (detail ? { ...one, detail: detail(one.value) } : one))
          }
          onChange={(text) => {
            setTyped(text);
            if (!late) onChange(text.trim());
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
  /** The whole text is an expression, not only what stands in `${{ … }}`. */
  bare?: boolean;
  placeholder?: string;
  multiline?: boolean;
  mono?: boolean;
  'aria-label'?: string;
  onBlur?: () => void;
}

/** A text that may hold expressions: the names that they may use are offered. */
export function ExpressionInput({ value, onChange, names, bare = false, ...rest }: ExpressionInputProps) {
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
