import { Textarea } from '@mantine/core';
import { type DragEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { faultText } from '@/api/problem';
import styles from './Create.module.css';

interface Props {
  text: string;
  faults: readonly Schemas['Fault'][];
  missing: boolean;
  onText: (text: string) => void;
}

/** A document as text: pasted, dropped as a file, or read from a selected file. Its faults are listed below. */
export function TextSource({ text, faults, missing, onText }: Props) {
  const { t } = useTranslation(['editor', 'problems']);
  const { t: problems } = useTranslation('problems');
  const picker = useRef<HTMLInputElement>(null);
  const [draggedOver, setDraggedOver] = useState(false);
  const readFile = (file: File | undefined) => {
    void file?.text().then(onText);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setDraggedOver(false);
    readFile(event.dataTransfer.files[0]);
  };
  return (
    <div className={styles.source}>
      <Textarea
        label={t('editor:create.text')}
        value={text}
        autosize
        minRows={7}
        maxRows={16}
        spellCheck={false}
        data-over={draggedOver || undefined}
        placeholder={t('editor:create.textHint')}
        classNames={{ input: styles.text }}
        error={missing ? t('editor:create.textMissing') : undefined}
        onChange={(event) => {
          onText(event.currentTarget.value);
        }}
        onDragOver={(event) => {
          event.preventDefault();
          setDraggedOver(true);
        }}
        onDragLeave={() => {
          setDraggedOver(false);
        }}
        onDrop={drop}
      />
      <input
        ref={picker}
        type="file"
        accept=".yaml,.yml,.json"
        hidden
        onChange={(event) => {
          readFile(event.currentTarget.files?.[0]);
          event.currentTarget.value = '';
        }}
      />
      <button type="button" className={styles.pick} onClick={() => picker.current?.click()}>
        {t('editor:create.file')}
      </button>
      {faults.length > 0 && (
        <div role="alert">
          <ul className={styles.faults}>
            {faults.map((f) => (
              <li key={`${f.code} ${f.path} ${String(f.line)}`}>
                {f.line !== undefined && <b>{t('editor:create.line', { line: f.line })}</b>} {faultText(f, problems)}
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}
