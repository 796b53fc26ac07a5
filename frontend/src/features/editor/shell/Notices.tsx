import { Button, CloseButton } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from '@tanstack/react-router';
import { ArchivedNote } from '@/features/archive';
import { useRepair } from '@/features/repair';
import { Ago, ErrorNote, toast } from '@/ui';
import { useEditor } from '../context';
import { Conflicts } from './Conflicts';
import { useSession } from './session';
import { useMerge } from './usePublish';
import styles from './Notices.module.css';

/** Notices above the view: a newer revision, open conflicts, and the batch that the author repairs. */
export function Notices() {
  const {
    name,
    draft: { base, conflicts },
  } = useSession();
  return (
    <>
      {base && <ArchivedNote name={name} />}
      <NewerRevision />
      {conflicts.length > 0 && <OpenConflicts />}
      <RepairedBatch />
    </>
  );
}

function Notice({ children }: { children: ReactNode }) {
  return <section className={styles.notice}>{children}</section>;
}

/** Shows that somebody published a newer revision than the base of the draft. */
function NewerRevision() {
  const { t } = useTranslation('editor');
  const { goTo } = useEditor();
  const {
    draft: { base },
    newest,
    changed,
  } = useSession();
  const { merge, pending, error } = useMerge();
  const newer = newest && newest.number > (base?.revision ?? 0) ? newest : undefined;
  const mergeNow = async () => {
    const merged = await merge();
    if (merged) toast(t(changed ? 'merge.done' : 'merge.shown', { revision: merged.revision }));
  };
  return (
    <div role="status" aria-live="polite">
      {newer && (
        <Notice>
          <span>
            <b>{t('newer.published', { revision: newer.number, by: newer.createdBy })}</b> <Ago at={newer.createdAt} />
            {newer.note && <q>{newer.note}</q>}
          </span>
          {base && (
            <Button
              size="compact-sm"
              onClick={() => {
                goTo({ view: 'history', from: base.revision, to: newer.number });
              }}
            >
              {t('newer.see')}
            </Button>
          )}
          <Button size="compact-sm" loading={pending} onClick={() => void mergeNow()}>
            {t(changed ? 'newer.merge' : 'newer.show')}
          </Button>
          {error !== undefined && <ErrorNote error={error} />}
        </Notice>
      )}
    </div>
  );
}

/** The unresolved conflicts, which can be folded but not dismissed. */
function OpenConflicts() {
  const { t } = useTranslation('editor');
  const {
    draft: { conflicts },
  } = useSession();
  const [shown, setShown] = useState(true);
  return (
    <div className={styles.conflicts}>
      <Notice>
        <b>{t('conflict.title', { count: conflicts.length })}</b>
        <Button
          size="compact-sm"
          aria-expanded={shown}
          onClick={() => {
            setShown(!shown);
          }}
        >
          {t(shown ? 'conflict.later' : 'conflict.show')}
        </Button>
      </Notice>
      {shown && (
        <div className={styles.open}>
          <Conflicts />
        </div>
      )}
    </div>
  );
}

/** The batch that the author repairs by this edit; after the publication, also the button that resumes it. */
function RepairedBatch() {
  const { t } = useTranslation('editor');
  const {
    search: { batch },
    goTo,
  } = useEditor();
  const { publishedHere } = useSession();
  const navigate = useNavigate();
  const repair = useRepair((id) => void navigate({ to: '/batches/$id', params: { id }, search: {} }));
  if (batch === undefined) return null;
  return (
    <Notice>
      <span>
        {publishedHere === undefined ? t('repairing.editedFor') : t('repairing.done', { revision: publishedHere })}{' '}
        <Link to="/batches/$id" params={{ id: batch }} search={{}}>
          {t('repairing.batch', { batch })}
        </Link>
      </span>
      {publishedHere !== undefined && (
        <Button
          size="compact-sm"
          onClick={() => {
            repair.open(batch, { action: 'resume', latest: true });
          }}
        >
          {t('repairing.resume', { batch, revision: publishedHere })}
        </Button>
      )}
      <CloseButton
        size="sm"
        aria-label={t('repairing.close')}
        onClick={() => {
          goTo({ batch: undefined });
        }}
      />
      {repair.node}
    </Notice>
  );
}
