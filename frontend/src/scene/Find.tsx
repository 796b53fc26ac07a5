import { Autocomplete } from '@mantine/core';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { byNumber, type TaskGraph } from '@/graph';
import styles from './Controls.module.css';

/** The pause in typing, in milliseconds, after which the first hit is shown. */
const PAUSE = 120;
/** How many hits are listed. The number of all is shown in the field. */
const MAX_LISTED = 8;

interface Props {
  graph: TaskGraph;
  onFind: (key: string) => void;
  /** The first hit of what is typed, to show it; undefined if nothing matches any more. */
  onHit: (key: string | undefined) => void;
  onClose: () => void;
  /** The text of the field. */
  text: string;
  onText: (text: string) => void;
  /** Called when the field has the focus: what is typed reaches it from now on. */
  onReady: () => void;
}

/** Shows a task by its key or title while it is typed; Enter goes there. Each hit has the name of its job. */
export function Find({ graph, onFind, onHit, onClose, text, onText, onReady }: Props) {
  const { t } = useTranslation('scene');
  const choices = useMemo(() => choicesOf(graph), [graph]);
  const data = useMemo(() => [...choices.keys()], [choices]);
  const hits = useMemo(() => hitsOf(data, text), [data, text]);
  const [first] = hits;
  useHit(first === undefined ? undefined : choices.get(first)?.key, onHit);
  const found = (name: string) => {
    const key = choices.get(name)?.key;
    if (key === undefined) return;
    onClose();
    onFind(key);
  };
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    input.current?.focus();
    onReady();
  }, [onReady]);
  return (
    <Autocomplete
      ref={input}
      className={styles.find}
      classNames={{ option: styles.option }}
      size="xs"
      aria-label={t('find')}
      placeholder={t('find')}
      data={data}
      value={text}
      onChange={onText}
      limit={MAX_LISTED}
      autoSelectOnBlur={false}
      selectFirstOptionOnChange
      renderOption={({ option }) => (
        <span className={styles.hit}>
          <span>{option.value}</span>
          <small>{choices.get(option.value)?.job}</small>
        </span>
      )}
      rightSectionWidth={64}
      rightSectionPointerEvents="none"
      rightSection={
        <small className={styles.hits} role="status">
          {text.trim() !== '' && t('hits', { count: hits.length })}
        </small>
      }
      comboboxProps={{ position: 'top-start', width: 320, withinPortal: false }}
      onOptionSubmit={found}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose();
      }}
      onBlur={onClose}
    />
  );
}

/** The tasks by the texts of their options. Texts must be unique, so each has the key. */
function choicesOf(graph: TaskGraph): ReadonlyMap<string, { key: string; job: string }> {
  const { tasks, laneOf } = byNumber(graph);
  return new Map(
    tasks.map(({ key, title }, i) => {
      const { key: jobKey = '', title: jobTitle } = graph.jobs[laneOf[i] ?? 0] ?? {};
      return [title && title !== key ? `${title} (${key})` : key, { key, job: jobTitle ?? jobKey }];
    }),
  );
}

/** The options that contain the text, in the order of the list. */
function hitsOf(options: readonly string[], text: string): readonly string[] {
  const wanted = text.trim().toLowerCase();
  return wanted === '' ? [] : options.filter((option) => option.toLowerCase().includes(wanted));
}

/** Calls a function with the first hit, or with none after one, once it is another one and the typing pauses. */
function useHit(key: string | undefined, onHit: (key: string | undefined) => void): void {
  const latest = useRef(onHit);
  useLayoutEffect(() => {
    latest.current = onHit;
  });
  const shown = useRef<string>(undefined);
  useEffect(() => {
    if (key === shown.current) return undefined;
    const timer = setTimeout(() => {
      shown.current = key;
      latest.current(key);
    }, PAUSE);
    return () => {
      clearTimeout(timer);
    };
  }, [key]);
}
