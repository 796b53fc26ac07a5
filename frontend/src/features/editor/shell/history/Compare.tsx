import { Button, SegmentedControl, Select } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { api, data } from '@/api/client';
import { type Diff, diff as diffOf, type Doc, replaceAll } from '@/document';
import { ErrorNote, keyName, toast } from '@/ui';
import { type EditorSearch, useDoc, useEditor } from '../../context';
import { ChangeList } from '../ChangeList';
import { Outline } from '../Outline';
import { revisionQuery } from '../queries';
import { isSame } from '../session';
import { GraphDiff } from './GraphDiff';
import styles from './History.module.css';

const TextDiff = lazy(() => import('./TextDiff'));
const WAYS = ['graph', 'list', 'text'] as const;

/** One side of a comparison: a revision by its number, or the draft. */
export type Side = number | 'draft';

/** The two sides of a comparison: `to` is shown with its changes against `from`. */
export interface Pair {
  /** Undefined if there was no earlier revision. */
  from?: number;
  to: Side;
}

/**
 * The two sides that an address compares. Without any numbers, the draft is compared with its base; if the draft has no
 * changes, the newest revision with the one before. A revision alone is compared with the one before it.
 */
export function pairOf(
  search: { from?: number; to?: number },
  draft: { base?: number; changed: boolean; numbers: readonly number[] },
): Pair {
  const existing = (number?: number) => (number !== undefined && draft.numbers.includes(number) ? number : undefined);
  const to =
    existing(search.to) ??
    (draft.changed || existing(search.from) !== undefined ? 'draft' : (draft.numbers[0] ?? 'draft'));
  const from = existing(search.from) ?? (to === 'draft' ? draft.base : revisionBefore(to, draft.numbers));
  return { from, to };
}

/** The revision before one; `numbers` begin with the newest. */
export function revisionBefore(number: number, numbers: readonly number[]): number | undefined {
  return numbers[numbers.indexOf(number) + 1];
}

/** Compares two revisions, or a revision with the draft: as a graph, as a list, or as text. */
export function Compare({ pair, numbers }: { pair: Pair; numbers: readonly number[] }) {
  const { t } = useTranslation('editor');
  const { search, goTo } = useEditor();
  const phone = useMediaQuery('(max-width: 600px)', undefined, { getInitialValueInEffect: false }) ?? false;
  const way = search.as ?? (phone ? 'list' : 'graph');
  const sides = useSides(pair);
  return (
    <section className={styles.compare} aria-label={t('history.compare')}>
      <div className={styles.bar}>
        <Pick
          side="from"
          value={pair.from}
          numbers={numbers}
          onPick={(number) => {
            goTo({ from: number, to: pair.to === 'draft' ? undefined : pair.to });
          }}
        />
        <span aria-hidden="true">→</span>
        <Pick
          side="to"
          value={pair.to}
          numbers={numbers}
          onPick={(number) => {
            goTo({ from: pair.from, to: number });
          }}
        />
        {sides.diff && (
          <span className={styles.quiet} role="status">
            {t('history.count', { count: sides.diff.count })}
          </span>
        )}
        <span className={styles.space} />
        <SegmentedControl
          size="xs"
          aria-label={t('history.as')}
          value={way}
          onChange={(next) => {
            goTo({ as: next as EditorSearch['as'] });
          }}
          data={WAYS.map((value) => ({ value, label: t(`history.way.${value}`) }))}
        />
        {pair.to !== 'draft' && sides.after && <Restore revision={pair.to} doc={sides.after} />}
      </div>
      <div className={styles.body}>
        <Comparison pair={pair} way={way} {...sides} />
      </div>
    </section>
  );
}

interface Sides {
  /** The documents; undefined while they are loaded. */
  before?: Doc;
  after?: Doc;
  /** The documents as YAML. The draft's is undefined, as only the server can write it. */
  beforeText: string;
  afterText?: string;
  diff?: Diff;
  error: unknown;
  retry: () => void;
}

/** Loads both sides of a comparison. */
function useSides(pair: Pair): Sides {
  const { name } = useEditor();
  const draft = useDoc((s) => s.doc);
  const from = useQuery({ ...revisionQuery(name, pair.from ?? 0), enabled: pair.from !== undefined });
  const to = useQuery({ ...revisionQuery(name, pair.to === 'draft' ? 0 : pair.to), enabled: pair.to !== 'draft' });
  const empty = useMemo((): Doc => ({ ...draft, jobs: [] }), [draft]);
  const before = pair.from === undefined ? empty : from.data?.doc;
  const after = pair.to === 'draft' ? draft : to.data?.doc;
  const diff = useMemo(() => (before && after ? diffOf(before, after) : undefined), [before, after]);
  return {
    before,
    after,
    beforeText: pair.from === undefined ? '' : (from.data?.document ?? ''),
    afterText: pair.to === 'draft' ? undefined : to.data?.document,
    diff,
    error: from.error ?? to.error,
    retry: () => {
      void from.refetch();
      void to.refetch();
    },
  };
}

/** Makes the document of an older revision the draft, unless the draft is equal to it. */
function Restore({ revision, doc }: { revision: number; doc: Doc }) {
  const { t } = useTranslation('editor');
  const { store, goTo } = useEditor();
  const draft = useDoc((s) => s.doc);
  if (isSame(doc, draft)) return null;
  return (
    <Button
      size="compact-sm"
      h={28}
      onClick={() => {
        store.getState().apply(replaceAll({ ...doc, name: draft.name }, 'restore'));
        toast(t('history.restored', { revision, key: keyName('Z') }));
        goTo({ from: undefined, to: undefined });
      }}
    >
      {t('history.restore', { revision })}
    </Button>
  );
}

interface ComparisonProps extends Sides {
  pair: Pair;
  way: (typeof WAYS)[number];
}

/** The difference, in the way that the reader has picked. */
function Comparison({ pair, way, before, after, beforeText, afterText, diff, error, retry }: ComparisonProps) {
  const { t } = useTranslation('editor');
  if (error)
    return (
      <div className={styles.pad}>
        <ErrorNote error={error} retry={retry} />
      </div>
    );
  if (!before || !after || !diff) return <Outline />;
  if (diff.count === 0 && isSame(before, after)) return <p className={styles.pad}>{t('history.same')}</p>;
  switch (way) {
    case 'list':
      return (
        <div className={styles.pad}>
          <ChangeList diff={diff} />
        </div>
      );
    case 'text':
      return <Text pair={pair} before={beforeText} after={afterText} />;
    case 'graph':
      return <GraphDiff key={`${String(pair.from)} ${String(pair.to)}`} before={before} after={after} diff={diff} />;
  }
}

/** Picks one side of the comparison; undefined means the draft, or no earlier revision. */
function Pick({
  side,
  value,
  numbers,
  onPick,
}: {
  side: 'from' | 'to';
  value: number | 'draft' | undefined;
  numbers: readonly number[];
  onPick: (number: number | undefined) => void;
}) {
  const { t } = useTranslation('editor');
  const choices = numbers.map((number) => ({
    value: String(number),
    label: t('history.revision', { revision: number }),
  }));
  const extra =
    side === 'to' ? { value: 'draft', label: t('history.draft') } : { value: 'nothing', label: t('history.nothing') };
  return (
    <Select
      size="xs"
      w={108}
      aria-label={t(`history.${side}`)}
      value={value === undefined ? 'nothing' : String(value)}
      allowDeselect={false}
      maxDropdownHeight={260}
      data={side === 'to' ? [extra, ...choices] : value === undefined ? [...choices, extra] : choices}
      onChange={(next) => {
        onPick(next === null || next === 'draft' || next === 'nothing' ? undefined : Number(next));
      }}
    />
  );
}

/** The YAML of both sides. The server writes the draft's YAML. */
function Text({ pair, before, after }: { pair: Pair; before: string; after: string | undefined }) {
  const { t } = useTranslation('editor');
  const draft = useDoc((s) => s.doc);
  const wide = useMediaQuery('(min-width: 1280px)', undefined, { getInitialValueInEffect: false }) ?? false;
  const written = useQuery({
    queryKey: ['text', draft],
    queryFn: async ({ signal }) =>
      (await data(api.POST('/api/v1/documents', { body: draft as unknown as Record<string, never>, signal })))
        .document ?? '',
    enabled: after === undefined,
    staleTime: Infinity,
    gcTime: 0,
    queryKeyHashFn: () => `text ${pair.to === 'draft' ? JSON.stringify(draft) : ''}`,
  });
  const text = after ?? written.data;
  if (written.error)
    return (
      <div className={styles.pad}>
        <ErrorNote error={written.error} retry={() => void written.refetch()} />
      </div>
    );
  if (text === undefined) return <Outline />;
  const name = (side: Pair['from'] | 'draft') =>
    side === 'draft'
      ? t('history.draft')
      : side === undefined
        ? t('history.nothing')
        : t('history.revision', { revision: side });
  return (
    <Suspense fallback={<Outline />}>
      <TextDiff before={before} after={text} labels={[name(pair.from), name(pair.to)]} wide={wide} />
    </Suspense>
  );
}
