import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { NeedsServer } from '@/ui';
import { countChanges } from './changes';
import type { CalendarState } from './useCalendar';
import styles from './Year.module.css';

interface Props {
  state: CalendarState;
  onSave: () => void;
  onConflict: () => void;
}

/** The unsaved edits: how many there are, undo and redo, and the button that saves them. */
export function DraftBar({ state, onSave, onConflict }: Props) {
  const { t } = useTranslation('calendars');
  const { draft, dirty, moved, changes, calendar } = state;
  if (!draft || (draft.past.length === 0 && draft.future.length === 0)) return null;
  return (
    <section className={styles.draft} aria-label={t('draft.title')}>
      <p role="status">
        <b>{dirty ? t('change.count', { count: countChanges(changes) }) : t('change.none')}</b>
        {dirty && <span>{t('draft.unsaved')}</span>}
        {moved && (
          <button type="button" onClick={onConflict}>
            {t('draft.moved', { by: calendar?.updatedBy, revision: calendar?.revision })}
          </button>
        )}
      </p>
      <div>
        <Button disabled={draft.past.length === 0} onClick={state.undo}>
          {t('draft.undo')}
        </Button>
        <Button disabled={draft.future.length === 0} onClick={state.redo}>
          {t('draft.redo')}
        </Button>
        <Button disabled={!dirty} onClick={state.discard}>
          {t('draft.discard')}
        </Button>
        <NeedsServer>
          <Button variant="filled" disabled={!dirty} onClick={onSave}>
            {t('draft.save')}
          </Button>
        </NeedsServer>
      </div>
    </section>
  );
}
