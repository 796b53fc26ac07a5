import { CloseButton, Select } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, data } from '@/api/client';
import { keys } from '@/api/queries';
import { Glyph } from '@/ui';
import { type BatchesSearch, KINDS, SINCE, type Since, STATES, statesOf } from './search';
import styles from './Batches.module.css';

const TIMES = Object.keys(SINCE) as Since[];

/** A filter in words, for who finds nothing by it. */
export function useFilterWords({ schedule, state, kind, since }: BatchesSearch): string {
  const { t } = useTranslation(['batches', 'states']);
  const words = [
    schedule && t('batches:of', { schedule }),
    state &&
      statesOf(state)
        .map((s) => t(`states:${s}`))
        .join(' / '),
    kind && t(`batches:kind.${kind}`),
    since && t(`batches:since.${since}`),
  ];
  return words.filter(Boolean).join(' · ');
}

interface Props {
  search: BatchesSearch;
  go: (next: BatchesSearch) => void;
}

/** What the list is to show: schedule, states, kind, time. */
export function Filters({ search, go }: Props) {
  const { t } = useTranslation(['batches', 'states']);
  const { schedule, state, kind, since } = search;
  const names = useNames();
  const states = statesOf(state);
  const turn = (s: (typeof STATES)[number]) =>
    (states.includes(s) ? states.filter((x) => x !== s) : [...states, s]).join(',');
  return (
    <div className={styles.filters} role="search">
      <Choice
        label={t('batches:filter.schedule')}
        value={schedule}
        options={names.all.map((n) => ({ value: n, label: n }))}
        searchable
        onOpen={names.want}
        className={styles.wide}
        onChange={(v) => {
          go({ ...search, schedule: v });
        }}
      />
      <Choice
        label={t('batches:filter.kind')}
        value={kind}
        options={KINDS.map((k) => ({ value: k, label: t(`batches:kind.${k}`) }))}
        className={styles.narrow}
        onChange={(v) => {
          go({ ...search, kind: KINDS.find((k) => k === v) });
        }}
      />
      <Choice
        label={t('batches:filter.since')}
        value={since}
        options={TIMES.map((s) => ({ value: s, label: t(`batches:since.${s}`) }))}
        className={styles.narrow}
        onChange={(v) => {
          go({ ...search, since: TIMES.find((s) => s === v) });
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
              go({ ...search, state: turn(s) });
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
  const known = value === undefined || options.some((o) => o.value === value);
  return (
    <Select
      aria-label={label}
      placeholder={label}
      searchable={searchable}
      limit={200}
      className={className}
      comboboxProps={{ shadow: 'lg' }}
      data={known ? options : [{ value, label: value }, ...options]}
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

/** The names of all schedules, asked for when somebody opens the choice of them. */
function useNames() {
  const [wanted, setWanted] = useState(false);
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
    enabled: wanted,
    staleTime: 30_000,
  });
  useEffect(() => {
    if (wanted && hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [wanted, hasNextPage, isFetching, isError, fetchNextPage]);
  return {
    all: pages?.pages.flatMap((p) => p.items.map((s) => s.name)) ?? [],
    want: () => {
      setWanted(true);
    },
  };
}
