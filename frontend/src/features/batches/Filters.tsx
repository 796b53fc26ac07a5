import { CloseButton, Select } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, data } from '@/api/client';
import { keys } from '@/api/queries';
import { Glyph } from '@/ui';
import { type BatchesSearch, KINDS, SINCE, type Since, STATES, statesOf } from './search';
import styles from './Batches.module.css';

const AGES = Object.keys(SINCE) as Since[];

/** A description of a filter, for an empty list. */
export function useFilterDescription({ schedule, state, kind, backfill, since }: BatchesSearch): string {
  const { t } = useTranslation(['batches', 'states']);
  const parts = [
    schedule && t('batches:of', { schedule }),
    state &&
      statesOf(state)
        .map((s) => t(`states:${s}`))
        .join(' / '),
    kind && t(`batches:kind.${kind}`),
    backfill && t('batches:backfill', { id: backfill }),
    since && t(`batches:since.${since}`),
  ];
  return parts.filter(Boolean).join(' · ');
}

interface Props {
  search: BatchesSearch;
  onSearch: (next: BatchesSearch) => void;
}

/** The filters of the list: schedule, states, kind and age. */
export function Filters({ search, onSearch }: Props) {
  const { t } = useTranslation(['batches', 'states']);
  const { schedule, state, kind, since } = search;
  const names = useScheduleNames();
  const states = statesOf(state);
  const toggled = (s: (typeof STATES)[number]) =>
    (states.includes(s) ? states.filter((x) => x !== s) : [...states, s]).join(',');
  return (
    <div className={styles.filters} role="search">
      <Choice
        label={t('batches:filter.schedule')}
        value={schedule}
        options={names.all.map((n) => ({ value: n, label: n }))}
        searchable
        onOpen={names.load}
        className={styles.wide}
        onChange={(v) => {
          onSearch({ ...search, schedule: v });
        }}
      />
      <Choice
        label={t('batches:filter.kind')}
        value={kind}
        options={KINDS.map((k) => ({ value: k, label: t(`batches:kind.${k}`) }))}
        className={styles.narrow}
        onChange={(v) => {
          onSearch({ ...search, kind: KINDS.find((k) => k === v) });
        }}
      />
      <Choice
        label={t('batches:filter.since')}
        value={since}
        options={AGES.map((s) => ({ value: s, label: t(`batches:since.${s}`) }))}
        className={styles.narrow}
        onChange={(v) => {
          onSearch({ ...search, since: AGES.find((s) => s === v) });
        }}
      />
      <div className={styles.states} role="group" aria-label={t('batches:filter.state')}>
        {STATES.map((s) => (
          <button
            key={s}
            type="button"
            className={styles.chip}
            aria-pressed={states.includes(s)}
            data-state={s}
            onClick={() => {
              onSearch({ ...search, state: toggled(s) });
            }}
          >
            <Glyph state={s} size={13} bare /> {t(`states:${s}`)}
          </button>
        ))}
      </div>
    </div>
  );
}

interface ChoiceProps {
  label: string;
  value?: string;
  options: { value: string; label: string }[];
  searchable?: boolean;
  className?: string;
  onOpen?: () => void;
  onChange: (value: string | undefined) => void;
}

function Choice({ label, value, options, searchable, className, onOpen, onChange }: ChoiceProps) {
  const { t } = useTranslation('batches');
  const isOption = value === undefined || options.some((o) => o.value === value);
  return (
    <Select
      aria-label={label}
      placeholder={label}
      searchable={searchable}
      limit={200}
      className={className}
      comboboxProps={{ shadow: 'lg' }}
      data={isOption ? options : [{ value, label: value }, ...options]}
      value={value ?? null}
      nothingFoundMessage={t('filter.nothing')}
      onDropdownOpen={onOpen}
      onChange={(v) => {
        onChange(v ?? undefined);
      }}
      allowDeselect={false}
      rightSectionPointerEvents={value ? 'auto' : 'none'}
      rightSection={
        value ? (
          <CloseButton
            size="sm"
            aria-label={t('filter.clear', { label })}
            onClick={() => {
              onChange(undefined);
            }}
          />
        ) : undefined
      }
    />
  );
}

/** The names of all schedules. They are loaded when the menu is opened. */
function useScheduleNames() {
  const [enabled, setEnabled] = useState(false);
  const {
    data: pages,
    hasNextPage,
    isFetching,
    isError,
    fetchNextPage,
  } = useInfiniteQuery({
    queryKey: keys.schedules,
    queryFn: ({ pageParam, signal }) =>
      data(api.GET('/api/v1/schedules', { params: { query: { after: pageParam, limit: 100 } }, signal })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next,
    enabled,
    staleTime: 30_000,
  });
  useEffect(() => {
    if (enabled && hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [enabled, hasNextPage, isFetching, isError, fetchNextPage]);
  return {
    all: pages?.pages.flatMap((p) => p.items.map((s) => s.name)) ?? [],
    load: () => {
      setEnabled(true);
    },
  };
}
