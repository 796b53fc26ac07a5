import { Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Fragment, type SubmitEvent, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { joinParams, readParams, splitParams, STARTERS } from '@/api/filters';
import { executorsQuery, labelsQuery } from '@/api/queries';
import { readDuration, serverNow, useShownZone, wallTimeAt, writeDuration } from '@/ui';
import { ownZone } from '@/ui/zones';
import { momentOf } from './query';
import { type BatchesSearch, type TextFilter } from './search';
import styles from './Batches.module.css';

type Fields = Partial<Record<TextFilter, string>>;

const MOMENTS = ['since', 'until', 'momentFrom', 'momentTo'] as const;
const PRESETS = [
  { key: '24h', since: '24h', until: undefined },
  { key: 'today', since: 'today', until: undefined },
  { key: 'yesterday', since: 'yesterday', until: 'today' },
  { key: '7d', since: '7d', until: undefined },
] as const;

interface Field {
  name: TextFilter;
  list?: 'tags' | 'owners' | 'executors' | 'starters';
  hint?: 'by' | 'param';
  placeholder?: string;
  type?: string;
}
const FIELDS: readonly Field[] = [
  { name: 'tag', list: 'tags' },
  { name: 'owner', list: 'owners' },
  { name: 'executor', list: 'executors' },
  { name: 'by', list: 'starters', hint: 'by' },
  { name: 'param', placeholder: 'region=east', hint: 'param' },
  { name: 'longer', placeholder: '10m' },
  ...MOMENTS.map((name) => ({ name, type: 'datetime-local' })),
];

interface Props {
  search: BatchesSearch;
  onSearch: (next: BatchesSearch) => void;
  onClose: () => void;
}

/** The form of the filters that are used less often. */
export function MoreFilters({ search, onSearch, onClose }: Props) {
  const zone = useShownZone() ?? ownZone();
  const { t } = useTranslation('batches');
  const [fields, setFields] = useState<Fields>(() => fieldsOf(search, zone));
  const [faults, setFaults] = useState<readonly TextFilter[]>([]);
  const lists = useSuggestions();
  const field = (
    name: TextFilter,
    more: { list?: string; placeholder?: string; hint?: string; type?: string } = {},
  ) => (
    <TextInput
      label={t(`field.${name}`)}
      description={more.hint}
      placeholder={more.placeholder}
      type={more.type}
      list={more.list}
      autoComplete="off"
      value={fields[name] ?? ''}
      error={faults.includes(name) && t(`fault.${name === 'longer' || name === 'param' ? name : 'moment'}`)}
      onChange={(e) => {
        setFields({ ...fields, [name]: e.currentTarget.value });
      }}
    />
  );
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const bad = faultsOf(fields);
    setFaults(bad);
    if (bad.length > 0) return;
    onSearch({ ...search, ...searchOf(fields) });
    onClose();
  };
  return (
    <form className={styles.more} onSubmit={submit} aria-label={t('more')} noValidate>
      <div className={styles.fields}>
        {FIELDS.map((one) => (
          <Fragment key={one.name}>
            {field(one.name, {
              ...one,
              list: one.list && lists.id[one.list],
              hint: one.hint && t(`hint.${one.hint}`),
            })}
          </Fragment>
        ))}
      </div>
      {lists.node}
      <div className={styles.presets}>
        <span>{t('presets')}</span>
        {PRESETS.map(({ key, since, until }) => (
          <button
            key={key}
            type="button"
            className={styles.chip}
            onClick={() => {
              onSearch({ ...search, ...searchOf(fields), since, until });
              onClose();
            }}
          >
            {t(`since.${key}`)}
          </button>
        ))}
        <span className={styles.space} />
        <Button onClick={onClose}>{t('cancel')}</Button>
        <Button type="submit" variant="filled">
          {t('apply')}
        </Button>
      </div>
    </form>
  );
}

/** What the form shows of a search: times of the day in the zone of the view, and parameters one after another. */
function fieldsOf(search: BatchesSearch, zone: string): Fields {
  const { tag, owner, executor, by, longer } = search;
  const fields: Fields = { tag, owner, executor, by, longer, param: splitParams(search.param).join('; ') };
  for (const name of MOMENTS) {
    const at = momentOf(search[name], serverNow(), zone);
    if (at !== undefined) fields[name] = wallTimeAt(at, zone).slice(0, 16);
  }
  return fields;
}

/** The fields whose texts cannot be read. */
function faultsOf(fields: Fields): TextFilter[] {
  const bad: TextFilter[] = MOMENTS.filter((name) => fields[name] && momentOf(fields[name], 0) === undefined);
  if (!readParams(fields.param ?? '')) bad.push('param');
  if (fields.longer?.trim() && !readDuration(fields.longer)) bad.push('longer');
  return bad;
}

function searchOf(fields: Fields): BatchesSearch {
  const out: BatchesSearch = { param: joinParams(readParams(fields.param ?? '') ?? []) };
  for (const name of ['tag', 'owner', 'executor', 'by', ...MOMENTS] as const)
    out[name] = fields[name]?.trim() || undefined;
  const longer = readDuration(fields.longer ?? '');
  out.longer = longer ? writeDuration(longer) : undefined;
  return out;
}

/** The lists that the browser suggests for the fields: tags and owners of schedules, executors, and starters. */
function useSuggestions() {
  const labels = useQuery(labelsQuery);
  const executors = useQuery({ ...executorsQuery, staleTime: 30_000 });
  const base = useId();
  const sorted = (values: (string | undefined)[]) =>
    [...new Set(values)].filter((v) => v !== undefined).sort((a, b) => a.localeCompare(b));
  const lists = {
    tags: labels.data?.tags ?? [],
    owners: labels.data?.owners ?? [],
    executors: sorted(executors.data?.items.map((e) => e.name) ?? []),
    starters: STARTERS,
  };
  const id = Object.fromEntries(Object.keys(lists).map((k) => [k, `${base}${k}`])) as Record<
    keyof typeof lists,
    string
  >;
  const node = (Object.keys(lists) as (keyof typeof lists)[]).map((name) => (
    <datalist key={name} id={id[name]}>
      {lists[name].map((value) => (
        <option key={value} value={value} />
      ))}
    </datalist>
  ));
  return { id, node };
}
