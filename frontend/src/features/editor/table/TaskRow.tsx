import { Checkbox } from '@mantine/core';
import { type KeyboardEvent, memo, type ReactNode, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { editTasks, type Task } from '@/document';
import { useEditor } from '../context';
import styles from './TableView.module.css';

interface Props {
  task: Task;
  job: string;
  faults: number;
  /** An earlier job has tasks: without needs the task waits for all of them. */
  waits: boolean;
  index: number;
  marked: boolean;
  open: boolean;
  /** Tab reaches this row; the arrow keys reach the others. */
  reachable: boolean;
  onMark: (index: number, on: boolean, range: boolean) => void;
  onOpen: (key: string) => void;
}

/** The row of one task. */
export const TaskRow = memo(function TaskRow({
  task,
  job,
  faults,
  waits,
  index,
  marked,
  open,
  reachable,
  onMark,
  onOpen,
}: Props) {
  const { t } = useTranslation('views');
  const tab = reachable ? 0 : -1;
  return (
    <tr
      data-index={index}
      data-row={task.key}
      data-marked={marked || undefined}
      data-open={open || undefined}
      data-off={task.disabled || undefined}
      aria-rowindex={index + 2}
    >
      <td className={styles.check}>
        <Checkbox
          size="xs"
          checked={marked}
          aria-label={t('table.mark', { task: task.title ?? task.key })}
          tabIndex={tab}
          onChange={(e) => {
            onMark(index, e.currentTarget.checked, (e.nativeEvent as unknown as MouseEvent).shiftKey);
          }}
        />
      </td>
      <Cell task={task} column="task" tab={tab} className={styles.task}>
        <div>
          <button
            type="button"
            data-opens=""
            tabIndex={tab}
            onClick={() => {
              onOpen(task.key);
            }}
          >
            <bdi>{task.title ?? task.key}</bdi>
          </button>
          {task.title && (
            <small>
              <bdi>{task.key}</bdi>
            </small>
          )}
          {task.disabled && <small>{t('table.off')}</small>}
          {faults > 0 && (
            <span className={styles.faulty} title={t('table.faults', { count: faults })}>
              !<span className="hg-visually-hidden">{t('table.faults', { count: faults })}</span>
            </span>
          )}
        </div>
      </Cell>
      <td>
        <bdi>{job}</bdi>
      </td>
      <td className={styles.code}>{task.handler}</td>
      <Cell task={task} column="group" tab={tab} />
      <td title={task.needs?.join(', ')} className={styles.needs}>
        {task.needs?.length ? (
          <bdi>{task.needs.join(', ')}</bdi>
        ) : (
          <span className="hg-quiet">{waits ? t('table.needsAll') : '–'}</span>
        )}
      </td>
      <td>
        {task.rule ? (
          t(`rule.${task.rule}`)
        ) : (
          <span className="hg-quiet" title={t('rule.all_success')}>
            –
          </span>
        )}
      </td>
      <Cell task={task} column="timeout" tab={tab} className={styles.number} />
      <Cell task={task} column="retry" tab={tab} className={styles.number} />
      <Cell task={task} column="priority" tab={tab} className={styles.number} />
    </tr>
  );
});

interface CellProps {
  task: Task;
  column: Writable;
  tab: 0 | -1;
  className?: string;
  /** The content while the cell is not edited; its text if undefined. */
  children?: ReactNode;
}

/** A cell that a double click, F2 or its button makes editable. Enter sets the text, Escape discards it. */
function Cell({ task, column, tab, className, children }: CellProps) {
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

/** The columns whose cells are editable. */
const WRITABLE = ['task', 'group', 'timeout', 'retry', 'priority'] as const;
/** An editable column. */
type Writable = (typeof WRITABLE)[number];

/** Whether the cells of a column are editable. */
export const isWritable = (column: string): column is Writable => (WRITABLE as readonly string[]).includes(column);

/** The text of a cell. */
export function cellText(task: Task, column: Writable): string {
  switch (column) {
    case 'task':
      return task.title ?? '';
    case 'group':
      return task.group ?? '';
    case 'timeout':
      return task.timeout ?? '';
    case 'retry':
      return task.retry?.max === undefined ? '' : String(task.retry.max);
    case 'priority':
      return task.priority === undefined ? '' : String(task.priority);
  }
}

/**
 * The fields of a task that the text of a cell sets; an empty text removes the field. Undefined for a text that is not
 * allowed.
 */
export function cellFields(task: Task, column: Writable, text: string): Partial<Omit<Task, 'key'>> | undefined {
  const value = text.trim();
  switch (column) {
    case 'task':
      return { title: value || undefined };
    case 'group':
      return { group: value || undefined };
    case 'timeout':
      return { timeout: value || undefined }; // a wrong one is stored, and shown as a fault
    case 'retry': {
      const max = count(value);
      if (max === null) return undefined;
      const retry = { ...task.retry };
      if (max === undefined) delete retry.max;
      else retry.max = max;
      return { retry: Object.keys(retry).length > 0 ? retry : undefined };
    }
    case 'priority': {
      const priority = count(value);
      return priority === null ? undefined : { priority };
    }
  }
}

/** Reads a whole number; undefined for an empty text, null for any other text. */
function count(text: string): number | undefined | null {
  if (text === '') return undefined;
  return /^\d{1,6}$/.test(text) ? Number(text) : null;
}
