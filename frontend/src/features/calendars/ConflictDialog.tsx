import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Dialog, toast } from '@/ui';
import { ChangeList } from './ChangeList';
import { changesOf, countChanges, overlap } from './changes';
import type { CalendarState } from './useCalendar';
import styles from './Dialogs.module.css';

interface Props {
  state: CalendarState;
  onClose: () => void;
}

/** Somebody else has saved a revision: shows both changes, and asks which of them to keep. */
export function ConflictDialog({ state, onClose }: Props) {
  const { t } = useTranslation(['calendars', 'common']);
  const { draft, newest, calendar, changes } = state;
  if (!draft || !newest || !calendar) return null;
  const theirs = changesOf(draft.base.doc, newest.doc);
  const both = overlap(draft.base.doc, draft.doc, newest.doc);
  return (
    <Dialog
      opened
      onClose={onClose}
      title={t('calendars:conflict.title', { revision: newest.number, by: calendar.updatedBy })}
      summary={t('calendars:conflict.summary')}
      footer={
        <>
          <Button onClick={onClose}>{t('calendars:conflict.later')}</Button>
          <Button
            onClick={() => {
              state.forget();
              toast(t('calendars:conflict.dropped'));
              onClose();
            }}
          >
            {t('calendars:conflict.drop')}
          </Button>
          <Button
            variant="filled"
            onClick={() => {
              state.rebaseDraft();
              toast(t('calendars:conflict.moved', { revision: newest.number }));
              onClose();
            }}
          >
            {t('calendars:conflict.keep')}
          </Button>
        </>
      }
    >
      <div className={styles.form}>
        <section>
          <h3>{t('calendars:conflict.theirs', { by: calendar.updatedBy, count: countChanges(theirs) })}</h3>
          <ChangeList changes={theirs} after={newest.doc} />
        </section>
        <section>
          <h3>{t('calendars:conflict.mine', { count: countChanges(changes) })}</h3>
          <ChangeList changes={changes} after={draft.doc} />
        </section>
        {countChanges(both) > 0 && (
          <section>
            <h3>{t('calendars:conflict.both', { count: countChanges(both) })}</h3>
            <ChangeList changes={both} after={draft.doc} />
          </section>
        )}
      </div>
    </Dialog>
  );
}
