import { SegmentedControl, Select } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { joinParams, readParams, splitParams, STARTERS } from '@/api/filters';
import { TextFilter } from '@/ui/TextFilter';
import type { ReportsSearch } from './search';
import { type ReportQuery, useChoices } from './useReports';
import styles from './Reports.module.css';

interface Props {
  search: ReportsSearch;
  query: ReportQuery;
  onChange: (part: ReportsSearch) => void;
}

const MENUS = ['schedule', 'tag', 'owner', 'executor'] as const;

/** The days and the filters of the reports. */
export function Filters({ search, query, onChange }: Props) {
  const { t } = useTranslation('reports');
  const choices = useChoices(query);
  const params = splitParams(search.param).join('; ');
  return (
    <div className={styles.filters} role="search">
      <SegmentedControl
        aria-label={t('range')}
        data={[7, 30, 90].map((n) => ({ value: String(n), label: t('days', { n }) }))}
        value={String(search.days ?? 30)}
        onChange={(v) => {
          onChange({ days: v === '7' ? 7 : v === '90' ? 90 : undefined });
        }}
      />
      {MENUS.map((field) => {
        const value = search[field];
        const options = choices[field];
        return (
          <Select
            key={field}
            aria-label={t(`filter.${field}`)}
            placeholder={t(`filter.${field}`)}
            data={value === undefined || options.includes(value) ? options : [value, ...options]}
            value={value ?? null}
            limit={100}
            searchable
            clearable
            nothingFoundMessage={t('filter.nothing')}
            clearButtonProps={{ 'aria-label': t('filter.clear', { label: t(`filter.${field}`) }) }}
            onDropdownOpen={choices.load}
            onChange={(v) => {
              onChange({ [field]: v ?? undefined });
            }}
          />
        );
      })}
      <TextFilter
        label={t('filter.by')}
        hint={t('filter.byHint')}
        value={search.by ?? ''}
        suggestions={STARTERS}
        onApply={(by) => {
          onChange({ by: by || undefined });
        }}
      />
      <TextFilter
        label={t('filter.param')}
        hint={t('filter.paramHint')}
        value={params}
        fault={(text) => (readParams(text) ? undefined : t('filter.paramFault'))}
        onApply={(text) => {
          onChange({ param: joinParams(readParams(text) ?? []) });
        }}
      />
    </div>
  );
}
