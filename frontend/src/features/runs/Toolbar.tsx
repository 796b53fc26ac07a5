import { Button, NativeSelect, Popover, SegmentedControl } from '@mantine/core';
import { useRef } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { joinParams, readParams, splitParams, STARTERS } from '@/api/filters';
import { executorsQuery } from '@/api/queries';
import { useEdgeFades } from '@/ui';
import { Days } from '@/ui/Days';
import { TextFilter } from '@/ui/TextFilter';
import { type Answer, type Grid } from './grid';
import { countMarks, markFailed, type Marks } from './marks';
import { isOpenIn, openFirst } from './open';
import { KINDS, type RunsSearch, SIZES } from './search';
import styles from './Runs.module.css';

interface Props {
  search: RunsSearch;
  change: (part: Partial<RunsSearch>) => void;
  answer?: Answer;
  grid?: Grid;
  /** The zone of the schedule, once it is known. */
  zone?: string;
  phone: boolean;
  onMarks: (marks: Marks) => void;
}

/** The filters of the grid, its pages, and what concerns all of its rows. */
export function Toolbar({ search, change, answer, grid, zone, phone, onMarks }: Props) {
  const { t } = useTranslation('runs');
  const { n = 30, failed, jobs } = search;
  const failures = grid ? markFailed(grid) : undefined;
  const count = failures ? countMarks(failures) : 0;
  const isOpen = grid && isOpenIn(jobs, openFirst(grid, phone));
  const unfolded = !!isOpen && !!grid?.rows.every(({ job }) => isOpen(job));
  const row = useRef<HTMLDivElement>(null);
  useEdgeFades(row);
  return (
    <div ref={row} className={styles.toolbar} role="search">
      <SegmentedControl
        size="xs"
        aria-label={t('size.label')}
        value={String(n)}
        data={SIZES.map((size) => ({ value: String(size), label: t(`size.${size}`) }))}
        onChange={(value) => {
          change({ n: value === '30' ? undefined : (Number(value) as RunsSearch['n']), before: undefined });
        }}
      />
      <Filters search={search} zone={zone} change={change} />
      <Button
        size="compact-sm"
        aria-pressed={!!failed}
        className={styles.chip}
        onClick={() => {
          change({ failed: failed ? undefined : true, before: undefined });
        }}
      >
        {t('failed')}
      </Button>
      <span className={styles.space} />
      {failures && count > 0 && (
        <Button
          size="compact-sm"
          onClick={() => {
            onMarks(failures);
          }}
        >
          {t('markFailed', { count })}
        </Button>
      )}
      {grid && (
        <Button
          size="compact-sm"
          onClick={() => {
            change({ jobs: unfolded ? '-' : '*' });
          }}
        >
          {t(unfolded ? 'fold' : 'unfold')}
        </Button>
      )}
      <Pages search={search} change={change} next={answer?.next} />
      {answer?.cut && <p className={styles.cut}>{t('cut')}</p>}
    </div>
  );
}

/** The way to the page of older batches, and back to the newest ones. */
function Pages({ search: { before }, change, next }: Pick<Props, 'search' | 'change'> & { next?: number }) {
  const { t } = useTranslation('runs');
  return (
    <>
      {next !== undefined && (
        <Button
          size="compact-sm"
          onClick={() => {
            change({ before: next });
          }}
        >
          {t('older')}
        </Button>
      )}
      {before !== undefined && (
        <Button
          size="compact-sm"
          onClick={() => {
            change({ before: undefined });
          }}
        >
          {t('newest')}
        </Button>
      )}
    </>
  );
}

/** The filters that are used less often: the executor of a task, what started the batch, and its parameters. */
function MoreFilters({ search, change }: Pick<Props, 'search' | 'change'>) {
  const { t } = useTranslation('runs');
  const { executor, by, param } = search;
  const params = splitParams(param).join('; ');
  const active = [executor, by, params].filter(Boolean).length;
  const executors = useQuery({ ...executorsQuery, staleTime: 30_000 });
  return (
    <Popover position="bottom-start" shadow="md" trapFocus>
      <Popover.Target>
        <Button size="compact-sm" className={styles.chip} aria-pressed={active > 0}>
          {active > 0 ? t('more.active', { count: active }) : t('more.label')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown className={styles.more}>
        <TextFilter
          above
          label={t('more.executor')}
          hint={t('more.executorHint')}
          value={executor ?? ''}
          suggestions={executors.data?.items.map((e) => e.name)}
          onApply={(text) => {
            change({ executor: text || undefined, before: undefined });
          }}
        />
        <TextFilter
          above
          label={t('more.by')}
          hint={t('more.byHint')}
          value={by ?? ''}
          suggestions={STARTERS}
          onApply={(text) => {
            change({ by: text || undefined, before: undefined });
          }}
        />
        <TextFilter
          above
          label={t('more.param')}
          hint={t('more.paramHint')}
          value={params}
          fault={(text) => (readParams(text) ? undefined : t('more.paramFault'))}
          onApply={(text) => {
            change({ param: joinParams(readParams(text) ?? []), before: undefined });
          }}
        />
      </Popover.Dropdown>
    </Popover>
  );
}

/** The kind and the days of the batches. */
function Filters({ search, zone = 'UTC', change }: Pick<Props, 'search' | 'zone' | 'change'>) {
  const { t } = useTranslation('runs');
  const { kind, from, to } = search;
  return (
    <>
      <NativeSelect
        size="xs"
        aria-label={t('kind.label')}
        value={kind ?? ''}
        data={[
          { value: '', label: t('kind.all') },
          ...KINDS.map((k) => ({ value: k, label: t(`kind.${k as Named}`) })),
        ]}
        onChange={(event) => {
          change({ kind: KINDS.find((k) => k === event.currentTarget.value), before: undefined });
        }}
      />
      <Days
        from={from}
        to={to}
        zone={zone}
        onChange={(days) => {
          change({ ...days, before: undefined });
        }}
      />
      <MoreFilters search={search} change={change} />
    </>
  );
}

type Named = 'scheduled' | 'manual' | 'backfill' | 'dependent';
