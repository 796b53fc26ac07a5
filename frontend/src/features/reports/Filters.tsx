import { SegmentedControl, Select, TextInput } from '@mantine/core';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { joinParams, readParams, splitParams, STARTERS } from '@/api/filters';
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

interface TextFilterProps {
  label: string;
  hint: string;
  /** The text that is applied. */
  value: string;
  suggestions?: readonly string[];
  /** What is wrong with a text. */
  fault?: (text: string) => string | undefined;
  onApply: (text: string) => void;
}

/**
 * A filter that is a text. It is applied by Enter, and when the field loses the focus. When the address has another
 * text, the field has it too, and keeps the focus.
 */
function TextFilter({ label, hint, value, suggestions, fault, onApply }: TextFilterProps) {
  const list = useId();
  const [applied, setApplied] = useState(value);
  const [text, setText] = useState(value);
  const [error, setError] = useState<string>();
  if (applied !== value) {
    setApplied(value);
    setText(value);
    setError(undefined);
  }
  const apply = () => {
    const next = text.trim();
    const wrong = fault?.(next);
    setError(wrong);
    if (wrong === undefined && next !== value) onApply(next);
  };
  return (
    <>
      <TextInput
        aria-label={label}
        placeholder={label}
        title={hint}
        list={suggestions && list}
        autoComplete="off"
        value={text}
        error={error}
        onChange={(e) => {
          setText(e.currentTarget.value);
        }}
        onBlur={apply}
        onKeyDown={(e) => {
          if (e.key === 'Enter' && !e.nativeEvent.isComposing) apply();
        }}
      />
      {suggestions && (
        <datalist id={list}>
          {suggestions.map((s) => (
            <option key={s} value={s} />
          ))}
        </datalist>
      )}
    </>
  );
}
