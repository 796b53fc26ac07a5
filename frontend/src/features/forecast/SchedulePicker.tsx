import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { proposedQuery } from '@/api/queries';

/** Milliseconds after the last letter until the server searches. */
const DELAY = 150;

interface Props {
  value: string | undefined;
  /** A visible label; without one the field has only a name. */
  label?: string;
  /** What no schedule means. */
  placeholder?: string;
  onChange: (schedule: string | undefined) => void;
}

/** Chooses one schedule, or all. The server searches while one types. */
export function SchedulePicker({ value, label, placeholder, onChange }: Props) {
  const { t } = useTranslation('forecast');
  const [opened, setOpened] = useState(false);
  const [text, setText] = useState('');
  // The field has the name of the chosen schedule; the others are proposed then, too.
  const [words] = useDebouncedValue(text === value ? '' : text.trim(), DELAY);
  const { data: proposed = [], isFetching } = useQuery({ ...proposedQuery(words), enabled: opened });
  const names = proposed.map((s) => s.name);
  return (
    <Select
      label={label}
      aria-label={label === undefined ? t('schedule') : undefined}
      placeholder={placeholder ?? t('all')}
      data={value === undefined || names.includes(value) ? names : [value, ...names]}
      value={value ?? null}
      searchable
      searchValue={text}
      onSearchChange={setText}
      filter={({ options }) => options}
      clearable
      nothingFoundMessage={isFetching ? '…' : t('noSchedule')}
      onDropdownOpen={() => {
        setOpened(true);
      }}
      onChange={(name) => {
        onChange(name ?? undefined);
      }}
    />
  );
}
