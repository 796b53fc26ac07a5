import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { proposedQuery } from '@/api/queries';
import { AGES, type AlertsSearch } from './search';
import styles from './Alerts.module.css';

/** Milliseconds after the last letter until the server searches. */
const SEARCH_DELAY = 150;

interface Props {
  search: AlertsSearch;
  onSearch: (next: AlertsSearch) => void;
}

/** The filters of the problems and of the log. A problem lasts, so it has no time. */
export function Filters({ search, onSearch }: Props) {
  const { t } = useTranslation('alerts');
  const { schedule, since } = search;
  const [enabled, setEnabled] = useState(false);
  const [text, setText] = useState(schedule ?? '');
  // The field has the name of the chosen schedule; the others are proposed then, too.
  const [words] = useDebouncedValue(text === schedule ? '' : text.trim(), SEARCH_DELAY);
  const { data: proposed } = useQuery({ ...proposedQuery(words), enabled });
  const names = (proposed ?? []).map(({ name }) => name);
  return (
    <div className={styles.filters} role="search">
      <Select
        aria-label={t('filter.schedule')}
        placeholder={t('filter.schedule')}
        data={schedule === undefined || names.includes(schedule) ? names : [schedule, ...names]}
        value={schedule ?? null}
        searchable
        searchValue={text}
        onSearchChange={setText}
        filter={({ options }) => options} // the server has selected them
        clearable
        clearButtonProps={{ 'aria-label': t('filter.clearSchedule') }}
        nothingFoundMessage={t('filter.nothing')}
        onDropdownOpen={() => {
          setEnabled(true);
        }}
        onChange={(v) => {
          onSearch({ ...search, schedule: v ?? undefined });
        }}
      />
      {search.view === 'log' && (
        <Select
          aria-label={t('filter.since')}
          placeholder={t('filter.since')}
          data={AGES.map((age) => ({ value: age, label: t(`filter.age.${age}`) }))}
          value={since ?? null}
          clearable
          clearButtonProps={{ 'aria-label': t('filter.clearSince') }}
          onChange={(v) => {
            onSearch({ ...search, since: AGES.find((age) => age === v) });
          }}
        />
      )}
    </div>
  );
}
