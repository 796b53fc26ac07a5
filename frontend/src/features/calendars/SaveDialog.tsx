import { Button, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '@/api/client';
import { keys } from '@/api/queries';
import { Dialog, ErrorNote, toast } from '@/ui';
import { NOTE_LENGTH, saveCalendar } from './calls';
import { ChangeList } from './ChangeList';
import { countChanges } from './changes';
import type { CalendarState } from './useCalendar';
import styles from './Dialogs.module.css';

interface Props {
  state: CalendarState;
  onClose: () => void;
  /** Somebody else has saved a revision meanwhile. */
  onConflict: () => void;
}

/** Shows the changes, asks for a note, and saves the edits as the next revision. */
export function SaveDialog({ state, onClose, onConflict }: Props) {
  const { t } = useTranslation(['calendars', 'common']);
  const client = useQueryClient();
  const form = useId();
  const [note, setNote] = useState('');
  const { draft, changes, calendar } = state;
  const save = useMutation({
    mutationFn: async () => {
      if (!draft) return;
      const { revision } = await saveCalendar(draft.doc, draft.base.number, note);
      await state.saved(draft.doc, revision);
      toast(t('calendars:save.done', { revision }));
      onClose();
    },
    onError: async (error) => {
      if (!(error instanceof ApiError) || error.problem.reason !== 'calendar_moved') return;
      await state.query.refetch();
      onConflict();
    },
    onSettled: () => client.invalidateQueries({ queryKey: keys.calendars }),
  });
  const users = calendar?.usedBy.length ?? 0;
  return (
    <Dialog
      opened
      onClose={onClose}
      focusInside
      title={t('calendars:save.title', { name: calendar?.name, revision: (draft?.base.number ?? 0) + 1 })}
      summary={users > 0 ? t('calendars:save.users', { count: users }) : undefined}
      footer={
        <>
          <Button onClick={onClose}>{t('common:cancel')}</Button>
          <Button type="submit" form={form} variant="filled" loading={save.isPending}>
            {t('calendars:save.go')}
          </Button>
        </>
      }
    >
      <form
        id={form}
        className={styles.form}
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          if (!save.isPending) save.mutate();
        }}
      >
        {save.error && <ErrorNote error={save.error} />}
        <section>
          <h3>{t('calendars:change.count', { count: countChanges(changes) })}</h3>
          {draft && <ChangeList changes={changes} after={draft.doc} />}
        </section>
        <TextInput
          data-autofocus
          label={t('calendars:save.note')}
          placeholder={t('calendars:save.noteHint')}
          maxLength={NOTE_LENGTH}
          value={note}
          onChange={(event) => {
            setNote(event.currentTarget.value);
          }}
        />
      </form>
    </Dialog>
  );
}
