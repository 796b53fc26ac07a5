import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { type Diff, diff } from '@/document';
import { Ago } from '@/ui';
import { useEditor } from '../context';
import { revisionQuery, revisionsQuery } from '../shell/queries';
import styles from './Inspector.module.css';

/** How many changed tasks and jobs are named. */
const NAMED = 6;

/** The latest revision: who published it when, why, and what it changed. It leads to the comparison. */
export function LatestRevision() {
  const { t } = useTranslation(['inspector', 'editor']);
  const { name, base, goTo } = useEditor();
  const { data: revisions } = useQuery({ ...revisionsQuery(name), enabled: base !== undefined });
  const [latest, before] = base === undefined ? [] : (revisions ?? []);
  const changes = useChanges(name, before?.number, latest?.number);
  if (!latest) return null;
  return (
    <section className={styles.section}>
      <h3>{t('summary.latest')}</h3>
      <p>
        <button
          type="button"
          className={styles.link}
          onClick={() => {
            goTo({ view: 'history', from: undefined, to: latest.number });
          }}
        >
          {t('editor:history.revision', { revision: latest.number })}
        </button>{' '}
        {latest.createdBy} · <Ago at={latest.createdAt} />
      </p>
      {latest.note && <q>{latest.note}</q>}
      {!before && <p className="hg-quiet">{t('editor:history.first')}</p>}
      {changes && <Changes of={changes} />}
    </section>
  );
}

/** The changes between two revisions; undefined until both documents are known. */
function useChanges(name: string, before?: number, latest?: number): Diff | undefined {
  const enabled = before !== undefined && latest !== undefined;
  const { data: from } = useQuery({ ...revisionQuery(name, before ?? 0), enabled });
  const { data: to } = useQuery({ ...revisionQuery(name, latest ?? 0), enabled });
  return useMemo(() => (from && to ? diff(from.doc, to.doc) : undefined), [from, to]);
}

const KINDS = ['changed', 'added', 'removed'] as const;

/** The changed jobs and tasks, by what was done to them. */
function Changes({ of: { head, jobs, tasks, count } }: { of: Diff }) {
  const { t } = useTranslation('editor');
  if (count === 0) return <p className="hg-quiet">{t('changes.order')}</p>;
  const items = [...jobs, ...tasks];
  return (
    <ul className={styles.ticks}>
      {KINDS.map((kind) => {
        const keys = items.filter((item) => item.kind === kind).map(({ key }) => key);
        const names = kind === 'changed' && head.length > 0 ? [t('changes.schedule'), ...keys] : keys;
        if (names.length === 0) return null;
        return (
          <li key={kind}>
            <bdi>
              {names.slice(0, NAMED).join(', ')}
              {names.length > NAMED && ` ${t('history.more', { count: names.length - NAMED })}`}
            </bdi>
            <span>{t(`mark.${kind}`)}</span>
          </li>
        );
      })}
    </ul>
  );
}
