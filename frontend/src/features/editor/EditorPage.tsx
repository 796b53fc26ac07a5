import { Link, useParams } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { ErrorNote } from '@/ui';
import { useDraft } from './drafts';
import { Editing } from './shell/Editing';
import { NoSchedule } from './shell/NoSchedule';
import { Outline } from './shell/Outline';
import styles from './shell/Page.module.css';

/** The page of a schedule: its newest revision, or the draft of the next one. */
export function EditorPage() {
  const { name } = useParams({ from: '/shell/schedules/$name' });
  return <Opening key={name} name={name} />;
}

/** Reads what there is before anything of it can be edited. */
function Opening({ name }: { name: string }) {
  const { t } = useTranslation('editor');
  const draft = useDraft(name);
  if (draft.missing) return <NoSchedule name={name} onMade={draft.retry} />;
  if (draft.store) return <Editing name={name} draft={draft} store={draft.store} />;
  if (draft.error === undefined) return <Outline whole />;
  return (
    <div className={styles.alone}>
      <ErrorNote error={draft.error} retry={draft.retry} />
      <Link to="/">{t('home')}</Link>
    </div>
  );
}
