import {
  type Defaults,
  type Doc,
  type DocFault,
  faultKind,
  type FaultKind,
  parseDuration,
  type Task,
  worseKind,
  withDefaults,
} from '@/document';
import { nextOrder, type Order as OrderOf, parseOrder } from '@/ui/searchParams';

/** One row: a task, with its job, the number of its faults, and whether there are tasks before its job. */
export interface Row {
  task: Task;
  job: string;
  jobTitle?: string;
  /** Its job is disabled. */
  jobOff?: boolean;
  /** What its job gives to the fields that the task leaves out. */
  defaults?: Defaults;
  faults: number;
  /** The kind of its most severe fault. */
  kind?: FaultKind;
  waits: boolean;
}

/** The columns of the table; each can sort it. */
export const COLUMNS = [
  'task',
  'job',
  'handler',
  'group',
  'needs',
  'rule',
  'timeout',
  'retry',
  'priority',
  'pool',
] as const;
/** A column of the table. */
export type Column = (typeof COLUMNS)[number];

/** By which column the table is sorted, and in which direction. */
export type Order = OrderOf<Column>;
export { nextOrder };

/** Reads the order from an address; undefined for the order of the document. */
export const orderOf = (text: string | undefined): Order | undefined => parseOrder(COLUMNS, text);

/** All tasks of a document as rows, in its order. */
export function rowsOf(doc: Doc, faults: readonly DocFault[]): Row[] {
  const count = new Map<string, number>();
  const kinds = new Map<string, FaultKind>();
  for (const fault of faults) {
    const { task } = fault;
    if (task === undefined) continue;
    count.set(task, (count.get(task) ?? 0) + 1);
    kinds.set(task, worseKind(kinds.get(task) ?? 'warning', faultKind(fault)));
  }
  const first = doc.jobs.findIndex((job) => (job.tasks ?? []).length > 0);
  return doc.jobs.flatMap((job, at) =>
    (job.tasks ?? []).map((task) => ({
      task,
      job: job.key,
      jobTitle: job.title,
      jobOff: job.disabled,
      defaults: job.defaults,
      faults: count.get(task.key) ?? 0,
      kind: kinds.get(task.key),
      waits: at > first,
    })),
  );
}

/** The rows that contain every word of `q`, sorted. Rows without a value in the column come last in both directions. */
export function rowsToShow(rows: readonly Row[], q: string | undefined, order: Order | undefined): readonly Row[] {
  const terms = (q ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  const matches =
    terms.length === 0
      ? rows
      : rows.filter((row) => {
          const text = textOf(row);
          return terms.every((word) => text.includes(word));
        });
  if (!order) return matches;
  const sign = order.down ? -1 : 1;
  return matches
    .map((row, index) => ({ row, index, value: valueOf(row, order.column) }))
    .sort((a, b) => {
      if (a.value === undefined || b.value === undefined)
        return Number(a.value === undefined) - Number(b.value === undefined) || a.index - b.index;
      return sign * compare(a.value, b.value) || a.index - b.index;
    })
    .map(({ row }) => row);
}

const texts = new WeakMap<Task, string>();

/** The text of a row for the search: all columns and the params. */
function textOf({ task, job, jobTitle }: Row): string {
  let text = texts.get(task);
  if (text === undefined) {
    text = [
      task.key,
      task.title,
      task.handler,
      task.group,
      task.executor,
      task.pool?.name,
      task.rule,
      task.when,
      ...(task.needs ?? []),
      JSON.stringify(task.params ?? {}),
    ]
      .join('\n')
      .toLowerCase();
    texts.set(task, text);
  }
  return `${text}\n${job}\n${jobTitle ?? ''}`.toLowerCase();
}

function valueOf({ task: own, job, defaults }: Row, column: Column): string | number | undefined {
  const task = withDefaults(defaults, own);
  switch (column) {
    case 'task':
      return task.title ?? task.key;
    case 'job':
      return job;
    case 'handler':
      return task.handler;
    case 'group':
      return task.group;
    case 'needs':
      return task.needs?.length;
    case 'rule':
      return task.rule;
    case 'timeout':
      return milliseconds(task.timeout);
    case 'retry':
      return task.retry?.max;
    case 'priority':
      return task.priority;
    case 'pool':
      return task.pool?.name;
  }
}

const milliseconds = (text: string | undefined) => (text === undefined ? undefined : parseDuration(text));

const collator = new Intl.Collator('en', { numeric: true });

const compare = (a: string | number, b: string | number): number =>
  typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(String(a), String(b));
