import { Combobox, useCombobox } from '@mantine/core';
import { type ComponentProps, type KeyboardEvent, useRef, useState } from 'react';
import styles from './Field.module.css';
import { classes } from './Text';

/** Something that can be picked. */
export interface Offer {
  value: string;
  label?: string;
  detail?: string;
  refused?: boolean;
}

interface Props extends Pick<
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
}: Props) {
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
