import { Textarea } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type DragEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { faultText } from '@/api/problem';
import { ErrorNote } from '@/ui';
import { type Fault, fileQuery, type SourceFile } from './calls';
import { rangeOf, yearsOfFile } from './days';
import styles from './Dialogs.module.css';

/** How long the text must rest before it is read (milliseconds). */
const REST = 300;

interface Props {
  file: SourceFile;
  onFile: (file: SourceFile) => void;
  /** The file is needed, and there is none. */
  missing?: boolean;
  /** Called with the days of the file, or with undefined while there are none. Pass the same function. */
  onDays: (days: Schemas['CalendarFileDays'] | undefined) => void;
}

/** A file with days: chosen, dropped or pasted. Shows what was read, or the line that is wrong with its remedy. */
export function FileSource({ file, missing, onFile, onDays }: Props) {
  const { t } = useTranslation('calendars');
  const picker = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const [rested] = useDebouncedValue(file, REST);
  const query = useQuery(fileQuery(rested));
  const read = rested === file && file.text.trim() !== '' ? query.data : undefined;
  const days = read && read.faults.length === 0 ? read : undefined;
  useEffect(() => {
    onDays(days);
  }, [days, onDays]);
  const take = (chosen: File | undefined) => {
    void chosen?.text().then((text) => {
      onFile({ name: chosen.name, text });
    });
  };
  return (
    <div className={styles.source}>
      <Textarea
        label={t('file.label')}
        description={t('file.hint')}
        placeholder={t('file.example')}
        value={file.text}
        autosize
        minRows={5}
        maxRows={12}
        spellCheck={false}
        data-over={over || undefined}
        classNames={{ input: styles.text }}
        error={missing ? t('file.missing') : undefined}
        onChange={(event) => {
          const text = event.currentTarget.value;
          onFile(text ? { ...file, text } : { text });
        }}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => {
          setOver(false);
        }}
        onDrop={(event: DragEvent) => {
          event.preventDefault();
          setOver(false);
          take(event.dataTransfer.files[0]);
        }}
      />
      <input
        ref={picker}
        type="file"
        accept=".ics,.csv,.yaml,.yml"
        hidden
        onChange={(event) => {
          take(event.currentTarget.files?.[0]);
          event.currentTarget.value = '';
        }}
      />
      <button type="button" className={styles.pick} onClick={() => picker.current?.click()}>
        {t('file.choose')}
      </button>
      {query.error && <ErrorNote error={query.error} retry={() => void query.refetch()} />}
      {read && read.faults.length > 0 && <Faults faults={read.faults} text={file.text} />}
      {days && <Read days={days} />}
    </div>
  );
}

/** The faults of the file, each with its line. */
function Faults({ faults, text }: { faults: readonly Fault[]; text: string }) {
  const { t } = useTranslation('calendars');
  const { t: problems } = useTranslation('problems');
  const lines = text.split('\n');
  return (
    <div role="alert" className={styles.wide}>
      <ul className={styles.faults}>
        {faults.map((fault) => (
          <li key={`${fault.code} ${String(fault.line)} ${fault.path}`}>
            {fault.line !== undefined && <b>{t('file.line', { line: fault.line })}</b>} {faultText(fault, problems)}
            {fault.line !== undefined && <code>{lines[fault.line - 1]?.trim().slice(0, 120)}</code>}
          </li>
        ))}
      </ul>
      <p className="hg-quiet">{t('file.nothing')}</p>
    </div>
  );
}

const countDays = (list: Schemas['CalendarDays'][]) =>
  list.reduce((sum, entry) => {
    const range = rangeOf(entry);
    return sum + (range ? range.to - range.from + 1 : 0);
  }, 0);

/** What was read from the file. */
function Read({ days }: { days: Schemas['CalendarFileDays'] }) {
  const { t } = useTranslation('calendars');
  const years = yearsOfFile(days);
  const [first = '', last = ''] = [years[0], years.at(-1)];
  return (
    <p role="status" className={styles.read}>
      <b>
        {t('file.read', {
          holidays: t('count.holiday', { count: countDays(days.holidays) }),
          makeUp: t('count.makeUp', { count: countDays(days.workdays) }),
          years: first === last ? first : t('years', { first, last }),
        })}
      </b>
      {days.left > 0 && <span>{t('file.left', { count: days.left })}</span>}
    </p>
  );
}
