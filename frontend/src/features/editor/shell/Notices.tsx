import { Button, CloseButton } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from '@tanstack/react-router';
import { useRepair } from '@/features/repair';
import { Ago, ErrorNote, toast } from '@/ui';
import { useEditor } from '../context';
import { Conflicts } from './Conflicts';
import { useSession } from './session';
import { useMerge } from './useMerge';
import styles from './Notices.module.css';

/** What a person should know before they go on: a newer revision, conflicts, the batch that waits for this. Nothing if all is calm. */
export function Notices() {
  const {
    draft: { conflicts },
  } = useSession();
  return (
    <>
      <Newer />
      {conflicts.length > 0 && <Settle />}
      <Repairing />
    </>
  );
}

function Strip({ children }: { children: ReactNode }) {
  return <section className={styles.strip}>{children}</section>;
}

/** Somebody published a newer revision than this one stands on. */
function Newer() {
  const { t } = useTranslation('editor');
  const { goTo } = useEditor();
  const {
    draft: { base },
    newest,
    changed,
  } = useSession();
  const { merge, pending, error } = useMerge();
  const newer = newest && newest.number > (base?.revision ?? 0) ? newest : undefined;
  const join = async () => {
    const met = await merge();
    if (met) toast(t(changed ? 'merge.done' : 'merge.shown', { revision: met.revision }));
  };
  return (
    <div role="status" aria-live="polite">
      {newer && (
        <Strip>
          <span>
            <b>{t('newer.words', { revision: newer.number, by: newer.createdBy })}</b> <Ago at={newer.createdAt} />
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
          <Button size="compact-sm" loading={pending} onClick={() => void join()}>
            {t(changed ? 'newer.merge' : 'newer.show')}
          </Button>
          {error !== undefined && <ErrorNote error={error} />}
        </Strip>
      )}
    </div>
  );
}

/** Conflicts that are left: they can be put off, but not forgotten. */
function Settle() {
  const { t } = useTranslation('editor');
  const {
    draft: { conflicts },
  } = useSession();
  const [shown, setShown] = useState(true);
  return (
    <div className={styles.settle}>
      <Strip>
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
      </Strip>
      {shown && (
        <div className={styles.open}>
          <Conflicts />
        </div>
      )}
    </div>
  );
}

/** The batch that this is edited for: what comes next, and once it is published the way back. */
function Repairing() {
  const { t } = useTranslation('editor');
  const {
    search: { batch },
    goTo,
  } = useEditor();
  const { done } = useSession();
  const navigate = useNavigate();
  const repair = useRepair((id) => void navigate({ to: '/batches/$id', params: { id }, search: {} }));
  if (batch === undefined) return null;
  return (
    <Strip>
      <span>
        {done === undefined ? t('repairing.words') : t('repairing.done', { revision: done })}{' '}
        <Link to="/batches/$id" params={{ id: batch }} search={{}}>
          {t('repairing.batch', { batch })}
        </Link>
      </span>
      {done !== undefined && (
        <Button
          size="compact-sm"
          onClick={() => {
            repair.open(batch, { action: 'resume', latest: true });
          }}
        >
          {t('repairing.resume', { batch, revision: done })}
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
    </Strip>
  );
}
