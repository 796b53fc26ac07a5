import { Tooltip } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useDoc, useEditor } from '../context';
import { SavedWords } from './SavedWords';
import { useSession } from './session';
import styles from './Header.module.css';

/** Which schedule this is, how far the draft is from what is published, and what can be done with it. */
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
        <Pill />
        <SavedWords />
      </div>
      <span className={styles.space} />
      <div className={styles.actions}>{children}</div>
    </header>
  );
}

/** `draft · 3 changes since v7`; it leads to what they are. */
function Pill() {
  const { t } = useTranslation('editor');
  const {
    draft: { base },
    changed,
    changes,
  } = useSession();
  if (!base)
    return (
      <span className={styles.pill} data-draft="">
        {t('pill.new')}
      </span>
    );
  if (!changed) return <span className={styles.pill}>{t('pill.published', { revision: base.revision })}</span>;
  return (
    <Tooltip label={t('diff.hint')}>
      <Link
        className={styles.pill}
        data-draft=""
        from="/schedules/$name"
        to="."
        search={(s) => ({ ...s, view: 'history' as const, from: undefined, to: undefined })}
      >
        {t('pill.draft', { count: changes, revision: base.revision })}
      </Link>
    </Tooltip>
  );
}
