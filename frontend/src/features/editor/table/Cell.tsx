import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { editTasks, type Task } from '@/document';
import { useEditor } from '../context';
import { cellFields, cellText, type Writable } from './edits';
import styles from './TableView.module.css';

interface Props {
  task: Task;
  column: Writable;
  tab: 0 | -1;
  className?: string;
  /** What the cell shows while it is not edited; its text if undefined. */
  children?: ReactNode;
}

/** A cell that a double click, F2 or its button makes editable. Enter takes the text, Escape drops it. */
export function Cell({ task, column, tab, className, children }: Props) {
  const { t } = useTranslation('views');
  const { store } = useEditor();
  const [text, setText] = useState<string>();
  const cell = useRef<HTMLTableCellElement>(null);
  const name = t('table.write', { column: t(`column.${column}`), task: task.title ?? task.key });
  const wrong = text !== undefined && cellFields(task, column, text) === undefined;
  const begin = () => {
    setText(cellText(task, column));
  };
  const end = (back: boolean) => {
    setText(undefined);
    if (back) requestAnimationFrame(() => cell.current?.querySelector<HTMLElement>('button')?.focus());
  };
  const keep = (back: boolean) => {
    const fields = text === undefined ? undefined : cellFields(task, column, text);
    if (fields) store.getState().apply(editTasks(store.getState().doc, [task.key], fields));
    end(back);
  };
  const keyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') end(true);
    else if (event.key === 'Enter' && !wrong) keep(true);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  if (text !== undefined) {
    return (
      <td ref={cell} className={className}>
        <input
          // eslint-disable-next-line jsx-a11y/no-autofocus -- the person has just asked to write here
          autoFocus
          className={styles.input}
          value={text}
          aria-label={name}
          aria-invalid={wrong || undefined}
          title={wrong ? t('table.wrong') : undefined}
          onChange={(e) => {
            setText(e.currentTarget.value);
          }}
          onKeyDown={keyDown}
          onBlur={() => {
            keep(false);
          }}
          onFocus={(e) => {
            e.currentTarget.select();
          }}
        />
      </td>
    );
  }
  return (
    <td
      ref={cell}
      className={className}
      data-column={column}
      onDoubleClick={begin}
      onKeyDown={(event) => {
        if (event.key !== 'F2') return;
        event.preventDefault();
        begin();
      }}
    >
      {children ?? (
        <button
          type="button"
          className={styles.write}
          tabIndex={tab}
          aria-label={`${name}: ${cellText(task, column) || t('table.nothing')}`}
          onClick={begin}
        >
          {cellText(task, column) || '–'}
        </button>
      )}
    </td>
  );
}
