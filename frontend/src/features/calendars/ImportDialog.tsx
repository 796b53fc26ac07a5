import { Button } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { Dialog } from '@/ui';
import type { SourceFile } from './calls';
import { ChangeList } from './ChangeList';
import { changesOf, countChanges } from './changes';
import { type CalendarDoc, importDays, yearsOfFile } from './days';
import { FileSource } from './FileSource';
import styles from './Dialogs.module.css';

interface Props {
  doc: CalendarDoc;
  /** Takes the days of the file into the draft. */
  onImport: (days: Schemas['CalendarFileDays']) => void;
  onClose: () => void;
}

/** Reads a file, shows what it changes, and takes its days into the draft. */
export function ImportDialog({ doc, onImport, onClose }: Props) {
  const { t } = useTranslation(['calendars', 'common']);
  const [file, setFile] = useState<SourceFile>({ text: '' });
  const [days, setDays] = useState<Schemas['CalendarFileDays']>();
  const after = useMemo(() => days && importDays(doc, days), [doc, days]);
  const changes = useMemo(() => after && changesOf(doc, after), [doc, after]);
  return (
    <Dialog
      opened
      onClose={onClose}
      title={t('calendars:import.title', { name: doc.name })}
      summary={t('calendars:import.summary')}
      footer={
        <>
          <Button onClick={onClose}>{t('common:cancel')}</Button>
          <Button
            variant="filled"
            disabled={!days}
            onClick={() => {
              if (!days) return;
              onImport(days);
              onClose();
            }}
          >
            {t('calendars:import.go')}
          </Button>
        </>
      }
    >
      <div className={styles.form}>
        <FileSource file={file} onFile={setFile} onDays={setDays} />
        {days && after && changes && (
          <section>
            <h3>
              {t('calendars:import.changes', { count: countChanges(changes), years: yearsOfFile(days).join(', ') })}
            </h3>
            <ChangeList changes={changes} after={after} />
          </section>
        )}
      </div>
    </Dialog>
  );
}
