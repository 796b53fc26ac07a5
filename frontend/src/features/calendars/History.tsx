import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Ago, ErrorNote, Skeleton } from '@/ui';
import { revisionQuery, revisionsQuery } from './calls';
import { ChangeList } from './ChangeList';
import { changesOf, isSame } from './changes';
import type { CalendarDoc } from './days';
import styles from './History.module.css';

/** The number of revisions that are shown at first: each needs two documents. */
const PAGE = 10;

interface Props {
  name: string;
  /** The document with the edits of the page. */
  doc: CalendarDoc;
  /** Makes the document of an older revision the draft. */
  onRestore: (doc: CalendarDoc, revision: number) => void;
}

/** The revisions of a calendar, newest first: who saved them, when and why, and what they changed. */
export function History({ name, doc, onRestore }: Props) {
  const { t } = useTranslation('calendars');
  const { data: revisions, error, refetch } = useQuery(revisionsQuery(name));
  const [shown, setShown] = useState(PAGE);
  if (error) return <ErrorNote error={error} retry={() => void refetch()} />;
  if (!revisions) return <Skeleton rows={3} />;
  return (
    <>
      <ol className={styles.revisions} aria-label={t('history.title')}>
        {revisions.slice(0, shown).map((revision, i) => (
          <li key={revision.number}>
            <div className={styles.head}>
              <h2>{t('history.revision', { revision: revision.number })}</h2>
              <span className={styles.when}>
                <Ago at={revision.createdAt} /> · {revision.createdBy}
              </span>
              {revision.note && <q>{revision.note}</q>}
            </div>
            <Revision
              {...{ name, doc, onRestore }}
              number={revision.number}
              previous={revisions[i + 1]?.number}
              newest={i === 0}
            />
          </li>
        ))}
      </ol>
      {revisions.length > shown && (
        <Button
          onClick={() => {
            setShown(shown + PAGE);
          }}
        >
          {t('history.more', { count: revisions.length - shown })}
        </Button>
      )}
    </>
  );
}

interface RevisionProps extends Props {
  number: number;
  previous?: number;
  newest: boolean;
}

/** What a revision changed, and a button that restores it. */
function Revision({ name, doc, onRestore, number, previous, newest }: RevisionProps) {
  const { t } = useTranslation('calendars');
  const after = useQuery(revisionQuery(name, number));
  const before = useQuery({ ...revisionQuery(name, previous ?? 0), enabled: previous !== undefined });
  const known = previous === undefined || before.data !== undefined;
  const changes = useMemo(
    () => (after.data && known ? changesOf(before.data, after.data) : undefined),
    [after.data, before.data, known],
  );
  const failed = after.error ?? before.error;
  if (failed)
    return (
      <ErrorNote
        error={failed}
        retry={() => {
          void after.refetch();
          if (previous !== undefined) void before.refetch();
        }}
      />
    );
  if (!changes || !after.data) return <p className="hg-quiet">{t('history.loading')}</p>;
  const document = after.data;
  return (
    <>
      <ChangeList changes={changes} after={document} />
      {!newest && !isSame(doc, { ...document, name: doc.name }) && (
        <Button
          size="compact-sm"
          h={28}
          onClick={() => {
            onRestore(document, number);
          }}
        >
          {t('history.restore', { revision: number })}
        </Button>
      )}
    </>
  );
}
