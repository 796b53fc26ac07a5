import { CloseButton, Select, TextInput } from '@mantine/core';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { TaskRun } from '@/live';
import { segments, shownState, type ShownState } from '@/ui';
import type { BatchSearch } from './search';
import styles from './Filters.module.css';

/** The part of the address that chooses and sorts rows. */
export type Filter = Pick<BatchSearch, 'q' | 'only' | 'sort'>;

interface Props {
  runs: readonly TaskRun[];
  filter: Filter;
  onFilter: (filter: Filter) => void;
}

/** The search by text and the filter by state. */
export function Filters({ runs, filter, onFilter }: Props) {
  const { t } = useTranslation(['batch', 'states']);
  const counts = useMemo(() => {
    const out: Partial<Record<ShownState, number>> = {};
    for (const run of runs) out[shownState(run)] = (out[shownState(run)] ?? 0) + 1;
    return out;
  }, [runs]);
  return (
    <>
      <TextInput
        size="xs"
        value={filter.q ?? ''}
        placeholder={t('table.search')}
        aria-label={t('table.search')}
        className={styles.search}
        onChange={(e) => {
          onFilter({ ...filter, q: e.currentTarget.value || undefined });
        }}
        rightSection={
          filter.q && (
            <CloseButton
              size="xs"
              aria-label={t('table.clear')}
              onClick={() => {
                onFilter({ ...filter, q: undefined });
              }}
            />
          )
        }
      />
      <Select
        size="xs"
        clearable
        value={filter.only ?? null}
        placeholder={t('table.anyState')}
        aria-label={t('table.state')}
        className={styles.state}
        data={segments(counts).map(({ state, count }) => ({
          value: state,
          label: `${t(`states:${state}`)} (${String(count)})`,
        }))}
        onChange={(only) => {
          onFilter({ ...filter, only: only ?? undefined });
        }}
      />
    </>
  );
}
