import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { api, data, type Schemas } from '@/api/client';
import { keys } from '@/api/queries';
import { Ago, Empty, ErrorNote, ZoneMenu } from '@/ui';
import { useEditor } from '../../context';
import { Outline } from '../Outline';
import { revisionQuery, revisionsQuery } from '../queries';
import { countChanges, useSession } from '../session';
import { revisionBefore, Compare, pairOf, type Side } from './Compare';
import styles from './History.module.css';

/** The number of revisions whose changes are counted: each needs two documents. */
const COUNTED = 15;
/** A link is the current one only if the address has exactly its search part. */
const EXACT = { exact: true, explicitUndefined: true };
/** The number of batches that are named for a revision. */
const NAMED = 3;

/** The published revisions, and a comparison of two of them. */
export function History() {
  const { t } = useTranslation('editor');
  const { name, base, search } = useEditor();
  const { changed } = useSession();
  const { data: revisions, error, refetch } = useQuery({ ...revisionsQuery(name), enabled: base !== undefined });
  if (base === undefined)
    return (
      <Empty title={t('history.none')}>
        <p>{t('history.noneHint')}</p>
      </Empty>
    );
  if (!revisions)
    return error ? (
      <div className={styles.pad}>
        <ErrorNote error={error} retry={() => void refetch()} />
      </div>
    ) : (
      <Outline />
    );
  const numbers = revisions.map((revision) => revision.number);
  const pair = pairOf(search, { base, changed, numbers });
  return (
    <div className={styles.history}>
      <Revisions revisions={revisions} shown={pair.to} />
      <Compare pair={pair} numbers={numbers} />
    </div>
  );
}

/** The draft and the revisions, newest first, as links to their changes. */
function Revisions({ revisions, shown }: { revisions: readonly Schemas['Revision'][]; shown: Side }) {
  const { t } = useTranslation('editor');
  const {
    changed,
    changes,
    draft: { base },
  } = useSession();
  const batchesOf = useBatches();
  const numbers = revisions.map((revision) => revision.number);
  return (
    <nav className={styles.revisions} aria-label={t('history.revisions')}>
      <div className={styles.zone}>
        <ZoneMenu />
      </div>
      <ol>
        {changed && (
          <li>
            <Link
              className={styles.row}
              from="/schedules/$name"
              to="."
              search={(s) => ({ ...s, from: undefined, to: undefined })}
              data-shown={shown === 'draft' || undefined}
              activeOptions={EXACT}
            >
              <b>{t('history.draft')}</b>
              <span className={styles.when}>{t('history.notPublished')}</span>
              {base && <span className={styles.count}>{t('history.count', { count: changes })}</span>}
            </Link>
          </li>
        )}
        {revisions.map((revision, i) => {
          const batches = batchesOf.get(revision.number) ?? [];
          return (
            <li key={revision.number}>
              <Link
                className={styles.row}
                from="/schedules/$name"
                to="."
                search={(s) => ({ ...s, from: undefined, to: revision.number })}
                data-shown={shown === revision.number || undefined}
                activeOptions={EXACT}
              >
                <b>{t('history.revision', { revision: revision.number })}</b>
                <span className={styles.when}>
                  <Ago at={revision.createdAt} /> · {revision.createdBy}
                </span>
                <span className={styles.count}>
                  {i < COUNTED && (
                    <Count number={revision.number} previous={revisionBefore(revision.number, numbers)} />
                  )}
                </span>
                {revision.renamedFrom && (
                  <span className={styles.renamed}>{t('history.renamed', { former: revision.renamedFrom })}</span>
                )}
                {revision.note && <q>{revision.note}</q>}
              </Link>
              {batches.length > 0 && (
                <p className={styles.ran}>
                  {t('history.ran')}{' '}
                  {batches.slice(0, NAMED).map((id) => (
                    <Link key={id} to="/batches/$id" params={{ id }} search={{}}>
                      {t('history.batch', { id })}
                    </Link>
                  ))}
                  {batches.length > NAMED && <span>{t('history.more', { count: batches.length - NAMED })}</span>}
                </p>
              )}
            </li>
          );
        })}
      </ol>
    </nav>
  );
}

function Count({ number, previous }: { number: number; previous?: number }) {
  const { t } = useTranslation('editor');
  const { name } = useEditor();
  const { data: after } = useQuery(revisionQuery(name, number));
  const { data: first } = useQuery({ ...revisionQuery(name, previous ?? 0), enabled: previous !== undefined });
  const count = useMemo(() => (after && first ? countChanges(first.doc, after.doc) : undefined), [after, first]);
  if (previous === undefined) return <>{t('history.first')}</>;
  return count === undefined ? null : <>{t('history.count', { count })}</>;
}

/** The latest batches by their revision. */
function useBatches(): ReadonlyMap<number, readonly number[]> {
  const { name, base } = useEditor();
  const { data: list } = useQuery({
    queryKey: [...keys.batches, 'revisions', name],
    queryFn: ({ signal }) =>
      data(api.GET('/api/v1/batches', { params: { query: { schedule: name, limit: 200 } }, signal })),
    enabled: base !== undefined,
  });
  return useMemo(() => {
    const found = new Map<number, number[]>();
    for (const { revision, id } of list?.items ?? []) found.set(revision, [...(found.get(revision) ?? []), id]);
    return found;
  }, [list]);
}
