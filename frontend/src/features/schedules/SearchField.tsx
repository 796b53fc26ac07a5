import { CloseButton, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import styles from './Schedules.module.css';

/** The search, kept in the address. While somebody types, what they typed counts: the address comes after it. */
export function SearchField({ q, onSearch }: { q: string; onSearch: (q: string) => void }) {
  const { t } = useTranslation('schedules');
  const [text, setText] = useState(q);
  const [typing, setTyping] = useState(false);
  const [seen, setSeen] = useState(q);
  if (q !== seen) {
    setSeen(q);
    if (!typing) setText(q);
  }
  const change = (next: string) => {
    setText(next);
    onSearch(next);
  };
  return (
    <TextInput
      type="search"
      aria-label={t('search')}
      placeholder={t('search')}
      className={styles.search}
      value={text}
      onChange={(event) => {
        change(event.currentTarget.value);
      }}
      onFocus={() => {
        setTyping(true);
      }}
      onBlur={() => {
        setTyping(false);
      }}
      rightSection={
        text ? (
          <CloseButton
            size="sm"
            aria-label={t('clear')}
            onClick={() => {
              change('');
            }}
          />
        ) : null
      }
    />
  );
}
