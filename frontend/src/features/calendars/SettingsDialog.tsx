import { Button, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Dialog } from '@/ui';
import { type CalendarDoc, DEFAULT_WEEKEND } from './days';
import { WeekendField } from './WeekendField';
import styles from './Dialogs.module.css';

interface Props {
  doc: CalendarDoc;
  onApply: (fields: Pick<CalendarDoc, 'title' | 'description' | 'weekend'>) => void;
  onClose: () => void;
}

/** The title, the description and the weekend of a calendar. */
export function SettingsDialog({ doc, onApply, onClose }: Props) {
  const { t } = useTranslation(['calendars', 'common']);
  const form = useId();
  const [title, setTitle] = useState(doc.title ?? '');
  const [description, setDescription] = useState(doc.description ?? '');
  const [weekend, setWeekend] = useState<readonly string[]>(doc.weekend ?? DEFAULT_WEEKEND);
  return (
    <Dialog
      opened
      onClose={onClose}
      focusInside
      title={t('calendars:settings.title', { name: doc.name })}
      footer={
        <>
          <Button onClick={onClose}>{t('common:cancel')}</Button>
          <Button type="submit" form={form} variant="filled">
            {t('calendars:edit.go')}
          </Button>
        </>
      }
    >
      <form
        id={form}
        className={styles.form}
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          onApply({
            title: title.trim() || undefined,
            description: description.trim() || undefined,
            weekend: weekend.join() === DEFAULT_WEEKEND.join() ? undefined : [...weekend],
          });
          onClose();
        }}
      >
        <TextInput
          data-autofocus
          label={t('calendars:field.title')}
          value={title}
          maxLength={200}
          onChange={(event) => {
            setTitle(event.currentTarget.value);
          }}
        />
        <Textarea
          label={t('calendars:field.description')}
          value={description}
          autosize
          minRows={2}
          maxRows={8}
          onChange={(event) => {
            setDescription(event.currentTarget.value);
          }}
        />
        <WeekendField value={weekend} onChange={setWeekend} />
      </form>
    </Dialog>
  );
}
