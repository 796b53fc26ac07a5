import { Button, SegmentedControl, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type PageParts, useCommands } from '@/features/find';
import { useTopic } from '@/live';
import { Empty, ErrorNote, isPageKey, Page, PageHeader, Skeleton, useExact } from '@/ui';
import { AxisTable } from './AxisTable';
import { type AxisSearch, checkAxisSearch, frameOf, searchOf } from './search';
import { useAxis, useRange } from './useAxis';
import { HOURS, type Frame, useRenewNight } from './useNight';
import styles from './Axis.module.css';

/** The batches of all schedules on one time axis: what ran, runs and will run. */
export function AxisPage() {
  const { t } = useTranslation(['night', 'common']);
  const exact = useExact();
  const search = checkAxisSearch(useSearch({ strict: false }));
  const navigate = useNavigate();
  const change = (part: AxisSearch) =>
    void navigate({ to: '/timeline', search: checkAxisSearch({ ...search, ...part }), replace: true });
  const frame = frameOf(search);
  const [range, setRange] = useRange();
  const rows = useAxis(frame, search.q, ...range);
  const { renewSoon } = useRenewNight();
  useTopic({ topic: 'batches' }, (delta) => {
    if ((delta.batches ?? []).length > 0) renewSoon();
  });
  const { count, window: shown } = rows;
  return (
    <Page wide>
      <PageHeader
        times
        title={t('night:axis.title')}
        above={<Link to="/">{t('common:nav.schedules')}</Link>}
        note={shown && t('night:fromTo', { from: exact(shown.from), to: exact(shown.to) })}
      >
        <Tools search={search} frame={frame} count={count} onChange={change} />
      </PageHeader>
      {rows.error !== null && rows.error !== undefined && <ErrorNote error={rows.error} retry={rows.retry} />}
      {count === undefined && !rows.error && <Skeleton rows={8} />}
      {count === 0 && <Empty title={t(search.q === undefined ? 'night:axis.none' : 'night:axis.noMatch')} />}
      {count !== undefined && count > 0 && shown && (
        <AxisTable
          rows={{ ...rows, count, window: shown }}
          frame={frame}
          open={search.batch === undefined ? undefined : { batch: search.batch, of: search.of ?? '' }}
          onRange={setRange}
          onFrame={(next) => {
            change(searchOf(next));
          }}
          onOpen={(next) => {
            change({ batch: next?.batch, of: next?.of });
          }}
        />
      )}
    </Page>
  );
}

interface ToolsProps {
  search: AxisSearch;
  frame: Frame;
  count?: number;
  onChange: (part: AxisSearch) => void;
}

const KEYS: PageParts = { keySet: 'search' };

/** The search, and the window. `/` moves the focus to the search. */
function Tools({ search, frame, count, onChange }: ToolsProps) {
  const { t } = useTranslation('night');
  useCommands(KEYS);
  const [text, setText] = useState(search.q ?? '');
  const find = useDebouncedCallback((q: string) => {
    onChange({ q: q.trim() || undefined });
  }, 250);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      if (event.key !== '/' || !isPageKey(event)) return;
      event.preventDefault();
      field.current?.focus();
    };
    window.addEventListener('keydown', focus);
    return () => {
      window.removeEventListener('keydown', focus);
    };
  }, []);
  return (
    <>
      {count !== undefined && <span className={styles.count}>{t('countAll', { count })}</span>}
      <TextInput
        ref={field}
        type="search"
        aria-label={t('axis.find')}
        placeholder={t('axis.find')}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          find(event.currentTarget.value);
        }}
      />
      {'from' in frame && (
        <Button
          onClick={() => {
            onChange(searchOf({ hours: 12 }));
          }}
        >
          {t('back')}
        </Button>
      )}
      <SegmentedControl
        size="xs"
        aria-label={t('window')}
        value={'hours' in frame ? String(frame.hours) : ''}
        onChange={(value) => {
          onChange(searchOf({ hours: Number(value) }));
        }}
        data={HOURS.map((hours) => ({ value: String(hours), label: t('hours', { hours }) }))}
      />
    </>
  );
}
