import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { scheduleQuery } from '@/api/queries';
import { Ago, NeedsServer } from '@/ui';
import { useArchive } from './useArchive';
import styles from './Archive.module.css';

/** Says that a schedule is archived, by whom and since when. Renders nothing for another one. */
export const ArchivedNote = memo(function ArchivedNote({ name }: { name: string }) {
  const { t } = useTranslation('archive');
  const { data: schedule } = useQuery({ ...scheduleQuery(name), enabled: name !== '', retry: false });
  const { unarchive, node } = useArchive();
  return (
    <div role="status" aria-live="polite">
      {schedule?.archivedAt && (
        <section className={styles.note}>
          <span>
            <b>{t(schedule.deleting ? 'note.deleting' : 'note.archived', { name, by: schedule.archivedBy })}</b>{' '}
            <Ago at={schedule.archivedAt} />
          </span>
          {!schedule.deleting && (
            <NeedsServer>
              <Button size="compact-sm" onClick={() => void unarchive(name)}>
                {t('unarchive')}
              </Button>
            </NeedsServer>
          )}
        </section>
      )}
      {node}
    </div>
  );
});
