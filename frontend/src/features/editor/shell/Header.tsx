import { Tooltip } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { problemText } from '@/api/problem';
import { useClock, useExact } from '@/ui';
import { relative } from '@/ui/time';
import { useDoc, useEditor } from '../context';
import { People } from '../presence/People';
import { useSession } from './session';
import styles from './Header.module.css';

/** The head of the editor: the name of the schedule, the state of the draft, and the buttons. */
export function Header({ children }: { children: ReactNode }) {
  const { t } = useTranslation(['editor', 'common']);
  const { name } = useEditor();
  const title = useDoc((s) => s.doc.title);
  return (
    <header className={styles.header}>
      <nav className={styles.crumbs} aria-label={t('editor:crumbs')}>
        <Link to="/">{t('common:nav.schedules')}</Link>
        <i aria-hidden="true" />
        <h1 title={title}>{name}</h1>
      </nav>
      <div className={styles.state}>
        <DraftPill />
        <SaveState />
        <People />
      </div>
      <div className={styles.actions}>{children}</div>
    </header>
  );
}

/** `draft · 3 changes since v7`, as a link to the changes. */
function DraftPill() {
  const { t } = useTranslation('editor');
  const {
    draft: { base },
    changed,
    changes,
  } = useSession();
  if (!base)
    return (
      <span className={styles.pill} data-draft="">
        {t('publication.new')}
      </span>
    );
  if (!changed) return <span className={styles.pill}>{t('publication.published', { revision: base.revision })}</span>;
  return (
    <Tooltip label={t('diff.hint')}>
      <Link
        className={styles.pill}
        data-draft=""
        from="/schedules/$name"
        to="."
        search={(s) => ({ ...s, view: 'history' as const, from: undefined, to: undefined })}
      >
        {t('publication.draft', { count: changes, revision: base.revision })}
      </Link>
    </Tooltip>
  );
}

/** For so many milliseconds after it was stored, the time is shown as "now". */
const JUST_NOW = 2000;

/** Whether the draft is stored. Screen readers announce only that it is not. */
function SaveState() {
  const { t } = useTranslation('editor');
  const { t: problems } = useTranslation('problems');
  const {
    draft: { state, error, savedAt, storedLocally, retry },
  } = useSession();
  const unsaved = state === 'offline' || state === 'failed';
  const problem = storedLocally ? (state === 'failed' ? 'failed' : 'offline') : 'lost';
  return (
    <>
      {unsaved && (
        <Tooltip
          multiline
          maw={340}
          label={
            state === 'failed'
              ? problemText(error, problems).detail
              : t(storedLocally ? 'saved.offlineHint' : 'saved.lostHint')
          }
        >
          <button type="button" className={styles.saved} data-saved={problem} onClick={retry}>
            {t(`saved.${problem}`)}
          </button>
        </Tooltip>
      )}
      {state === 'saving' && <span className={styles.saved}>{t('saved.saving')}</span>}
      {state === 'saved' && savedAt !== undefined && (
        <span className={styles.saved}>
          <Since at={savedAt} />
        </span>
      )}
      <span className="hg-visually-hidden" role="status">
        {unsaved ? t(`saved.${problem}`) : ''}
      </span>
    </>
  );
}

function Since({ at }: { at: number }) {
  const { t, i18n } = useTranslation('editor');
  const exact = useExact();
  const now = Math.max(at, useClock());
  return (
    <time dateTime={new Date(at).toISOString()} title={exact(at, { seconds: true })}>
      {now - at < JUST_NOW ? t('saved.now') : t('saved.ago', { ago: relative(at, now, i18n.language) })}
    </time>
  );
}
