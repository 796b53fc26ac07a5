import { Button, SegmentedControl, Select } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { api, data } from '@/api/client';
import { type Doc, diff as diffOf, replaceAll } from '@/document';
import { ErrorNote, toast } from '@/ui';
import { type EditorSearch, useDoc, useEditor } from '../../context';
import { ChangeList } from '../ChangeList';
import { keyName } from '../keys';
import { Outline } from '../Outline';
import { revisionQuery } from '../queries';
import { isSame } from '../session';
import type { Pair } from './compare';
import { GraphDiff } from './GraphDiff';
import styles from './History.module.css';

const TextDiff = lazy(() => import('./TextDiff'));
const WAYS = ['graph', 'list', 'text'] as const;

/** What makes one revision another: as a drawing, in words, or as text. */
export function Compare({ pair, numbers }: { pair: Pair; numbers: readonly number[] }) {
  const { t } = useTranslation('editor');
  const {
    name,
    store,
    search: { as },
    goTo,
  } = useEditor();
  const phone = useMediaQuery('(max-width: 600px)', undefined, { getInitialValueInEffect: false }) ?? false;
  const way = as ?? (phone ? 'list' : 'graph');
  const draft = useDoc((s) => s.doc);
  const from = useQuery({ ...revisionQuery(name, pair.from ?? 0), enabled: pair.from !== undefined });
  const to = useQuery({ ...revisionQuery(name, pair.to === 'draft' ? 0 : pair.to), enabled: pair.to !== 'draft' });
  const after = pair.to === 'draft' ? draft : to.data?.doc;
  const nothing = useMemo((): Doc => ({ ...draft, jobs: [] }), [draft]);
  const before = pair.from === undefined ? nothing : from.data?.doc;
  const diff = useMemo(() => (before && after ? diffOf(before, after) : undefined), [before, after]);
  const error = from.error ?? to.error;
  const restorable = pair.to !== 'draft' && after && !isSame(after, draft) ? after : undefined;
  const restore = () => {
    if (!restorable || pair.to === 'draft') return;
    store.getState().apply(replaceAll({ ...restorable, name: draft.name }, 'restore'));
    toast(t('history.restored', { revision: pair.to, key: keyName('Z') }));
    goTo({ from: undefined, to: undefined });
  };
  const body = (): ReactNode => {
    if (error)
      return (
        <div className={styles.pad}>
          <ErrorNote
            error={error}
            retry={() => {
              void from.refetch();
              void to.refetch();
            }}
          />
        </div>
      );
    if (!before || !after || !diff) return <Outline />;
    if (diff.count === 0 && isSame(before, after)) return <p className={styles.pad}>{t('history.same')}</p>;
    if (way === 'list')
      return (
        <div className={styles.pad}>
          <ChangeList diff={diff} />
        </div>
      );
    if (way === 'text')
      return (
        <Text
          pair={pair}
          before={pair.from === undefined ? '' : (from.data?.document ?? '')}
          after={pair.to === 'draft' ? undefined : to.data?.document}
        />
      );
    return <GraphDiff key={`${String(pair.from)} ${String(pair.to)}`} before={before} after={after} diff={diff} />;
  };
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
        {diff && (
          <span className={styles.quiet} role="status">
            {t('history.count', { count: diff.count })}
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
        {restorable && (
          <Button size="compact-sm" h={28} onClick={restore}>
            {t('history.restore', { revision: pair.to })}
          </Button>
        )}
      </div>
      <div className={styles.body}>{body()}</div>
    </section>
  );
}

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

/** The texts of both sides; only the server writes that of the draft. */
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
