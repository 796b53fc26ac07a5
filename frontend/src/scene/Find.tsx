import { Autocomplete } from '@mantine/core';
import { useEffect, useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { byNumber, type TaskGraph } from '@/graph';
import styles from './Controls.module.css';

/** Jumps to a task by its key or title. */
export function Find({
  graph,
  onFind,
  onClose,
}: {
  graph: TaskGraph;
  onFind: (key: string) => void;
  onClose: () => void;
}) {
  const { t } = useTranslation('scene');
  // Autocomplete returns the text of the chosen option. Texts must be unique, so each has the key.
  const texts = useMemo(
    () =>
      new Map(byNumber(graph).tasks.map(({ key, title }) => [title && title !== key ? `${title} (${key})` : key, key])),
    [graph],
  );
  const data = useMemo(() => [...texts.keys()], [texts]);
  const found = (text: string) => {
    const key = texts.get(text);
    if (key === undefined) return;
    onClose();
    onFind(key);
  };
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    input.current?.focus();
  }, []);
  return (
    <Autocomplete
      ref={input}
      className={styles.find}
      classNames={{ option: styles.option }}
      size="xs"
      aria-label={t('find')}
      placeholder={t('find')}
      data={data}
      limit={8}
      autoSelectOnBlur={false}
      selectFirstOptionOnChange
      comboboxProps={{ position: 'top-start', width: 280, withinPortal: false }}
      onOptionSubmit={found}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose();
      }}
      onBlur={onClose}
    />
  );
}
