import { Button } from '@mantine/core';
import { Link, useParams } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useNewSchedule } from '@/features/create';
import { Empty, ErrorNote, ScheduleZone, useDocumentTitle } from '@/ui';
import { useDraft } from './drafts/useDraft';
import { EditorShell } from './shell/EditorShell';
import { Outline } from './shell/Outline';
import styles from './shell/Page.module.css';

/** The page of a schedule: its newest revision, or the draft of the next one. */
export function EditorPage() {
  const { name } = useParams({ from: '/shell/schedules/$name' });
  return (
    <ScheduleZone name={name}>
      <ScheduleEditor key={name} name={name} />
    </ScheduleZone>
  );
}

/** Loads the draft of a schedule, then shows its editor. */
export function ScheduleEditor({ name }: { name: string }) {
  const { t } = useTranslation('editor');
  const draft = useDraft(name);
  if (draft.missing) return <NoSchedule name={name} onMade={draft.retry} />;
  if (draft.store) return <EditorShell name={name} draft={draft} store={draft.store} />;
  if (draft.error === undefined) return <Outline page />;
  return (
    <div className={styles.alone}>
      <ErrorNote error={draft.error} retry={draft.retry} />
      <Link to="/">{t('home')}</Link>
    </div>
  );
}

/** Offers to make a schedule of a name that does not exist yet. */
function NoSchedule({ name, onMade }: { name: string; onMade: () => void }) {
  const { t } = useTranslation('editor');
  const title = t('missing.title', { name });
  const create = useNewSchedule(onMade);
  useDocumentTitle(title);
  return (
    <Empty title={title} asPage>
      <p>{t('missing.detail')}</p>
      <Button
        variant="filled"
        onClick={() => {
          create.open({ name });
        }}
      >
        {t('missing.make')}
      </Button>
      <Link to="/">{t('home')}</Link>
      {create.node}
    </Empty>
  );
}
