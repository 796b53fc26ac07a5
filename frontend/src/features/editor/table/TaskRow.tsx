import { Checkbox } from '@mantine/core';
import { type KeyboardEvent, memo, type ReactNode, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Defaults, type Doc, editTasks, type FaultKind, positionsOf, type Task } from '@/document';
import { useEditor } from '../context';
import { ChosenBy } from '../presence/ChosenBy';
import styles from './TableView.module.css';

interface Props {
  task: Task;
  job: string;
  /** The job is disabled. */
  jobOff?: boolean;
  /** What the job gives to the fields that the task leaves out. */
  defaults?: Defaults;
  faults: number;
  /** The kind of its most severe fault. */
  kind?: FaultKind;
  /** An earlier job has tasks: without needs the task waits for all of them. */
  waits: boolean;
  index: number;
  marked: boolean;
  open: boolean;
  /** Tab reaches this row; the arrow keys reach the others. */
  reachable: boolean;
  /** The names of others who have chosen it, one a line. */
  chosenBy?: string;
  onMark: (index: number, on: boolean, range: boolean) => void;
  onOpen: (key: string) => void;
}

/** The mark of a task with faults: an amber dot if its fields are only empty. */
function FaultMark({ count, kind }: { count: number; kind?: FaultKind }) {
  const { t } = useTranslation('views');
  const text = t(kind === 'empty' ? 'table.toFill' : 'table.faults', { count });
  return (
    <span className={styles.faulty} data-kind={kind} title={text}>
      {kind !== 'empty' && '!'}
      <span className="hg-visually-hidden">{text}</span>
    </span>
  );
}

/** The initials of others who have chosen a task. */
function ChosenMark({ names }: { names: readonly string[] }) {
  const { t } = useTranslation('views');
  const text = t('table.chosenBy', { names: names.join(', ') });
  return (
    <>
      <ChosenBy names={names} title={text} />
      <span className="hg-visually-hidden">{text}</span>
    </>
  );
}

/** The key of the text for a task that does not run: its job is disabled, or the task itself is. */
const offKey = (task: Task, jobOff?: boolean) =>
  jobOff ? ('table.jobOff' as const) : task.disabled ? ('table.off' as const) : undefined;

/** The row of one task. */
export const TaskRow = memo(function TaskRow({
  task,
  job,
  jobOff,
  defaults,
  faults,
  kind,
  waits,
  index,
  marked,
  open,
  reachable,
  chosenBy,
  onMark,
  onOpen,
}: Props) {
  const { t } = useTranslation('views');
  const names = chosenBy?.split('\n');
  const tab = reachable ? 0 : -1;
  const off = offKey(task, jobOff);
  const given = (column: 'group' | 'timeout' | 'retry' | 'priority') => {
    const value = cellText({ key: '', handler: '', ...defaults }, column);
    return task[column] === undefined && value !== '' ? value : undefined;
  };
  return (
    <tr
      data-index={index}
      data-row={task.key}
      data-marked={marked || undefined}
      data-open={open || undefined}
      data-off={off && true}
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
          {off && <small>{t(off)}</small>}
          {faults > 0 && <FaultMark count={faults} kind={kind} />}
          {names && <ChosenMark names={names} />}
        </div>
      </Cell>
      <td>
        <bdi>{job}</bdi>
      </td>
      <td className={styles.code}>{task.handler}</td>
      <Cell task={task} column="group" tab={tab} inherited={given('group')} />
      <Cell
        task={task}
        column="needs"
        tab={tab}
        className={styles.needs}
        empty={waits ? t('table.needsAll') : undefined}
      />
      <td>
        {task.rule ? (
          t(`rule.${task.rule}`)
        ) : (
          <span className={styles.dash} title={t('rule.all_success')}>
            –
          </span>
        )}
      </td>
      <Cell task={task} column="timeout" tab={tab} className={styles.number} inherited={given('timeout')} />
      <Cell task={task} column="retry" tab={tab} className={styles.number} inherited={given('retry')} />
      <Cell task={task} column="priority" tab={tab} className={styles.number} inherited={given('priority')} />
      <Cell task={task} column="pool" tab={tab} />
    </tr>
  );
});

interface CellProps {
  task: Task;
  column: Writable;
  tab: 0 | -1;
  className?: string;
  /** The text of an empty cell; a dash in the row that is pointed at if left out. */
  empty?: string;
  /** The value that the job gives to an empty cell. */
  inherited?: string;
  /** The content while the cell is not edited; its text if undefined. */
  children?: ReactNode;
}

/** A cell that a double click, F2 or its button makes editable. Enter sets the text, Escape discards it. */
function Cell({ task, column, tab, className, empty, inherited, children }: CellProps) {
  const { t } = useTranslation('views');
  const { store } = useEditor();
  const [text, setText] = useState<string>();
  const cell = useRef<HTMLTableCellElement>(null);
  const name = t('table.write', { column: t(`column.${column}`), task: task.title ?? task.key });
  const shown = cellText(task, column) || (inherited ? t('table.inherited', { value: inherited }) : '');
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
        <CellInput
          text={text}
          onText={setText}
          name={name}
          wrong={wrong}
          offers={() => (column === 'needs' ? needOffers(store.getState().doc, task.key, text) : [])}
          onKeyDown={keyDown}
          onBlur={() => {
            keep(false);
          }}
        />
      </td>
    );
  }
  return (
    <td
      ref={cell}
      className={className}
      title={shown || undefined}
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
          aria-label={`${name}: ${shown || t('table.nothing')}`}
          onClick={begin}
        >
          {cellText(task, column) || empty || (inherited && <i>{inherited}</i>) || (
            <span className={styles.dash}>–</span>
          )}
        </button>
      )}
    </td>
  );
}

interface CellInputProps {
  text: string;
  onText: (text: string) => void;
  name: string;
  wrong: boolean;
  /** Texts that complete the present one. */
  offers: () => readonly string[];
  onKeyDown: (event: KeyboardEvent) => void;
  onBlur: () => void;
}

function CellInput({ text, onText, name, wrong, offers, onKeyDown, onBlur }: CellInputProps) {
  const { t } = useTranslation('views');
  const id = useId();
  const offered = offers();
  return (
    <>
      <input
        // eslint-disable-next-line jsx-a11y/no-autofocus -- the person has just asked to write here
        autoFocus
        className={styles.input}
        value={text}
        list={offered.length > 0 ? id : undefined}
        aria-label={name}
        aria-invalid={wrong || undefined}
        title={wrong ? t('table.wrong') : undefined}
        onChange={(e) => {
          onText(e.currentTarget.value);
        }}
        onKeyDown={onKeyDown}
        onBlur={onBlur}
        onFocus={(e) => {
          e.currentTarget.select();
        }}
      />
      {offered.length > 0 && (
        <datalist id={id}>
          {offered.map((offer) => (
            <option key={offer} value={offer} />
          ))}
        </datalist>
      )}
    </>
  );
}

/** The most completions that a cell offers. */
const MAX_OFFERS = 50;

/**
 * The texts that complete a list of needs: the list with each task of an earlier job that is not in it and contains the
 * word that is being typed.
 */
export function needOffers(doc: Doc, task: string, text: string): string[] {
  const [, before = '', word = ''] = /^(.*[,，]\s*)?([^,，]*)$/.exec(text) ?? [];
  const lane = positionsOf(doc).get(task)?.job ?? 0;
  const named = new Set(keysIn(before));
  const typed = word.trim().toLowerCase();
  return doc.jobs
    .slice(0, lane)
    .flatMap((job) => job.tasks ?? [])
    .filter(({ key }) => !named.has(key) && key.toLowerCase().includes(typed))
    .slice(0, MAX_OFFERS)
    .map(({ key }) => before + key);
}

/** The keys in a text, each once: commas and blanks separate them. */
const keysIn = (text: string): string[] => [...new Set(text.split(/[,，\s]+/).filter(Boolean))];

/** The columns whose cells are editable. */
const WRITABLE = ['task', 'group', 'needs', 'timeout', 'retry', 'priority', 'pool'] as const;
/** An editable column. */
type Writable = (typeof WRITABLE)[number];

/** Whether the cells of a column are editable. */
export const isWritable = (column: string): column is Writable => (WRITABLE as readonly string[]).includes(column);

const numberText = (n: number | undefined) => (n === undefined ? '' : String(n));
const poolText = (pool: Task['pool']) => [pool?.name, pool?.slots].filter(Boolean).join(' ');

/** The text of a cell. */
export function cellText(task: Task, column: Writable): string {
  switch (column) {
    case 'task':
      return task.title ?? '';
    case 'group':
      return task.group ?? '';
    case 'needs':
      return task.needs?.join(', ') ?? '';
    case 'timeout':
      return task.timeout ?? '';
    case 'retry':
      return numberText(task.retry?.max);
    case 'priority':
      return numberText(task.priority);
    case 'pool':
      return poolText(task.pool);
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
    case 'needs': {
      const needs = keysIn(value);
      return { needs: needs.length > 0 ? needs : undefined }; // an unknown one is stored, and shown as a fault
    }
    case 'timeout':
      return { timeout: value || undefined }; // a wrong one is stored, and shown as a fault
    case 'retry':
      return retryFields(task, value);
    case 'priority': {
      const priority = count(value);
      return priority === null ? undefined : { priority };
    }
    case 'pool':
      return poolFields(value);
  }
}

/** Reads the number of retries; the other fields of `retry` stay. */
function retryFields(task: Task, text: string): Pick<Task, 'retry'> | undefined {
  const max = count(text);
  if (max === null) return undefined;
  const retry = { ...task.retry };
  if (max === undefined) delete retry.max;
  else retry.max = max;
  return { retry: Object.keys(retry).length > 0 ? retry : undefined };
}

/** Reads a pool and its slots, as in `dw 2`; one slot is left out. */
function poolFields(text: string): Pick<Task, 'pool'> | undefined {
  if (text === '') return { pool: undefined };
  const [, name, slots] = /^(\S+)(?:\s+([1-9]\d{0,6}))?$/.exec(text) ?? [];
  if (name === undefined) return undefined;
  return { pool: slots === undefined || slots === '1' ? { name } : { name, slots: Number(slots) } };
}

/** Reads a whole number; undefined for an empty text, null for any other text. */
function count(text: string): number | undefined | null {
  if (text === '') return undefined;
  return /^\d{1,6}$/.test(text) ? Number(text) : null;
}
