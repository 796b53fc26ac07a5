import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, data } from '@/api/client';
import { keys } from '@/api/queries';

/** The schedules that are read at once. */
const PAGE = 500;
/** The pages that are read. Other schedules can be named in the address. */
const PAGES = 20;
/** The options that are shown at once; typing finds the others. */
const SHOWN = 50;

async function readNames(signal: AbortSignal): Promise<string[]> {
  const names: string[] = [];
  let after: string | undefined;
  for (let i = 0; i < PAGES; i++) {
    const page = await data(api.GET('/api/v1/schedules', { params: { query: { after, limit: PAGE } }, signal }));
    names.push(...page.items.map((s) => s.name));
    after = page.next;
    if (after === undefined) break;
  }
  return names;
}

interface Props {
  value: string | undefined;
  /** A visible label; without one the field has only a name. */
  label?: string;
  /** What no schedule means. */
  placeholder?: string;
  onChange: (schedule: string | undefined) => void;
}

/** Chooses one schedule, or all. The names are read when the list is opened. */
export function SchedulePicker({ value, label, placeholder, onChange }: Props) {
  const { t } = useTranslation('forecast');
  const [opened, setOpened] = useState(false);
  const { data: names = [], isPending } = useQuery({
    queryKey: [...keys.forecast, 'names'],
    queryFn: ({ signal }) => readNames(signal),
    enabled: opened,
  });
  return (
    <Select
      label={label}
      aria-label={label === undefined ? t('schedule') : undefined}
      placeholder={placeholder ?? t('all')}
      data={value === undefined || names.includes(value) ? names : [value, ...names]}
      value={value ?? null}
      limit={SHOWN}
      searchable
      clearable
      nothingFoundMessage={isPending ? '…' : t('noSchedule')}
      onDropdownOpen={() => {
        setOpened(true);
      }}
      onChange={(name) => {
        onChange(name ?? undefined);
      }}
    />
  );
}
