import { Button, CloseButton, Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { splitParams, STARTERS } from '@/api/filters';
import { overviewQuery, proposedQuery } from '@/api/queries';
import { usePollInterval } from '@/live';
import { Glyph, serverNow, useExact, useShownZone } from '@/ui';
import { csvAddress, momentOf } from './query';
import { type BatchesSearch, KINDS, STATES, statesOf, type TextFilter } from './search';
import styles from './Batches.module.css';

/** The starts to choose from in the menu. The form has the others. */
const AGES = ['1h', '24h', 'today', '7d', '30d'] as const;
const isAge = (since: string | undefined) => AGES.some((age) => age === since);

/** An active filter: a text for people, and the search without it. */
interface Active {
  key: string;
  text: string;
  without: BatchesSearch;
}

const LABELED = ['tag', 'owner', 'executor', 'longer'] as const;
const MOMENTS = ['since', 'until', 'momentFrom', 'momentTo'] as const;

/** The active filters that the menus of the page do not show. */
function useActiveFilters(search: BatchesSearch): Active[] {
  const { t } = useTranslation('batches');
  const exact = useExact();
  const zone = useShownZone();
  const out: Active[] = [];
  const add = (name: TextFilter, text: string, rest?: string) =>
    out.push({ key: `${name} ${text}`, text, without: { ...search, [name]: rest } });
  for (const name of LABELED) {
    const value = search[name];
    if (value !== undefined) add(name, t(`active.${name}`, { value }));
  }
  const starter = STARTERS.find((s) => s === search.by);
  if (search.by !== undefined)
    add('by', starter ? t(`starter.${starter}`) : t('active.by', { value: search.by.replace(/^person:/, '') }));
  const params = splitParams(search.param);
  if (search.param !== undefined) add('param', t('active.param', { value: params.join(', ') }));
  for (const name of MOMENTS) {
    const value = search[name];
    if (value === undefined || (name === 'since' && isAge(value))) continue;
    const at = momentOf(value, serverNow(), zone);
    add(name, t(`active.${name}`, { value: at === undefined ? value : exact(at) }));
  }
  return out;
}

/** A description of a filter, for an empty list. */
export function useFilterDescription(search: BatchesSearch): string {
  const { t } = useTranslation(['batches', 'states']);
  const { schedule, state, kind, backfill, since, needs } = search;
  const age = AGES.find((s) => s === since);
  const parts = [
    schedule && t('batches:of', { schedule }),
    state &&
      statesOf(state)
        .map((s) => t(`states:${s}`))
        .join(' / '),
    needs && t('batches:needs'),
    kind && t(`batches:kind.${kind}`),
    backfill && t('batches:backfill', { id: backfill }),
    age && t(`batches:since.${age}`),
    ...useActiveFilters(search).map(({ text }) => text),
  ];
  return parts.filter(Boolean).join(' · ');
}

interface Props {
  search: BatchesSearch;
  onSearch: (next: BatchesSearch) => void;
}

/** The filters of the list that are used most: schedule, states, kind and age; and the buttons of the list. */
export function Filters({
  search,
  onSearch,
  open,
  onOpen,
}: Props & { open: boolean; onOpen: (open: boolean) => void }) {
  const { t } = useTranslation(['batches', 'states']);
  const { schedule, state, kind, since } = search;
  const names = useProposed(schedule);
  const states = statesOf(state);
  const toggled = (s: (typeof STATES)[number]) =>
    (states.includes(s) ? states.filter((x) => x !== s) : [...states, s]).join(',');
  return (
    <div className={styles.filters} role="search">
      <Choice
        label={t('batches:filter.schedule')}
        value={schedule}
        options={names.options}
        search={names}
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
        value={isAge(since) ? since : undefined}
        options={AGES.map((s) => ({ value: s, label: t(`batches:since.${s}`) }))}
        className={styles.narrow}
        onChange={(v) => {
          onSearch({ ...search, since: v });
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
      <Button
        aria-expanded={open}
        onClick={() => {
          onOpen(!open);
        }}
      >
        {t('batches:more')}
      </Button>
      <CsvLink search={search} />
    </div>
  );
}

/** The filter of the batches that need a person, with their number, which the home page has, too. */
export function NeedsPerson({ search, onSearch }: Props) {
  const { t } = useTranslation('batches');
  const on = search.needs !== undefined;
  const { data: overview } = useQuery({ ...overviewQuery, refetchInterval: usePollInterval(30_000) });
  return (
    <button
      type="button"
      className={styles.chip}
      aria-pressed={on}
      data-state="failed"
      onClick={() => {
        onSearch({ ...search, needs: on ? undefined : 'person' });
      }}
    >
      {overview ? t('needsCount', { count: overview.needsPerson }) : t('needs')}
    </button>
  );
}

/** The link to the file of all batches that match. Its address is made when it is used: it may count from now. */
function CsvLink({ search }: { search: BatchesSearch }) {
  const { t } = useTranslation('batches');
  const zone = useShownZone();
  const [now, setNow] = useState(serverNow);
  const renew = () => {
    setNow(serverNow());
  };
  return (
    <Button
      component="a"
      href={csvAddress(search, now, zone)}
      download
      title={t('csvHint')}
      onMouseDown={renew}
      onFocus={renew}
    >
      {t('csv')}
    </Button>
  );
}

/** The filters that the menus do not show, each with a button that removes it. */
export function FilterChips({ search, onSearch }: Props) {
  const { t } = useTranslation('batches');
  const active = useActiveFilters(search);
  if (active.length === 0) return null;
  return (
    <ul className={styles.active} aria-label={t('activeFilters')}>
      {active.map(({ key, text, without }) => (
        <li key={key}>
          <bdi>{text}</bdi>
          <CloseButton
            size="xs"
            aria-label={t('removeFilter', { filter: text })}
            onClick={() => {
              onSearch(without);
            }}
          />
        </li>
      ))}
    </ul>
  );
}

/** Milliseconds after the last letter until the server searches. */
const SEARCH_DELAY = 150;

/** The schedules that the menu proposes for the text in its field. They are read when it is opened. */
function useProposed(chosen: string | undefined) {
  const [enabled, setEnabled] = useState(false);
  const [text, setText] = useState('');
  // The field has the name of the chosen schedule; the others are proposed then, too.
  const [words] = useDebouncedValue(text === chosen ? '' : text.trim(), SEARCH_DELAY);
  const { data: proposed } = useQuery({ ...proposedQuery(words), enabled });
  const options = useMemo(() => (proposed ?? []).map(({ name }) => ({ value: name, label: name })), [proposed]);
  return {
    options,
    text,
    setText,
    open: () => {
      setEnabled(true);
    },
  };
}

interface ChoiceProps {
  label: string;
  value?: string;
  options: { value: string; label: string }[];
  /** For a menu whose options the server selects: the text in the field. */
  search?: { text: string; setText: (text: string) => void; open: () => void };
  className?: string;
  onChange: (value: string | undefined) => void;
}

function Choice({ label, value, options, search, className, onChange }: ChoiceProps) {
  const { t } = useTranslation('batches');
  const isOption = value === undefined || options.some((o) => o.value === value);
  return (
    <Select
      aria-label={label}
      placeholder={label}
      searchable={search !== undefined}
      searchValue={search?.text}
      onSearchChange={search?.setText}
      filter={search && (({ options: all }) => all)}
      className={className}
      comboboxProps={{ shadow: 'lg' }}
      data={isOption ? options : [{ value, label: value }, ...options]}
      value={value ?? null}
      nothingFoundMessage={t('filter.nothing')}
      onDropdownOpen={search?.open}
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
