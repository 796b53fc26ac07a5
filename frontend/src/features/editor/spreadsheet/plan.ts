import { type Command, type Doc, foldCase, freeKey, isKey, type Job, MAX, type Task, tasksOf } from '@/document';
import { withRenamedTasks } from '@/document/refs';
import type { OfferedHandler } from '../context';
import { type Column, jsonOf } from './columns';

/** What happens to a row whose task exists: its cells change the task, it gets a new key, or it is left out. */
export type Existing = 'update' | 'rename' | 'skip';

/** Why a row, or one of its cells, is left out. `params` fill the text `spreadsheet:fault.CODE`. */
export interface RowFault {
  /** Counted from 0, without the head. */
  row: number;
  code: 'noKey' | 'badKey' | 'twice' | 'noHandler' | 'number' | 'flag' | 'badJob' | 'limit';
  params: Record<string, string | number>;
  /** The row is left out; otherwise only the cell is. */
  whole: boolean;
}

/** What the rows would make of a document. */
export interface SpreadsheetPlan {
  doc: Doc;
  /** The keys of the tasks of each row; undefined for a row that is left out. */
  keys: readonly (string | undefined)[];
  added: number;
  updated: number;
  /** The keys of the rows whose tasks exist. */
  existing: readonly string[];
  newJobs: readonly string[];
  faults: readonly RowFault[];
}

interface Options {
  rows: readonly (readonly string[])[];
  columns: readonly Column[];
  /** The job of new tasks, if no column names one; a new job if undefined. */
  into?: string;
  existing: Existing;
  handlers: readonly OfferedHandler[];
}

const NUMBERS: readonly Column[] = [
  'retry.max',
  'retry.backoff',
  'retry.jitter',
  'onLost.max',
  'priority',
  'pool.slots',
];
const FLAGS: readonly Column[] = ['allowFailure', 'disabled'];
const YES = ['true', 'yes', 'y', '1', 'x', '是', '真'];
const NO = ['false', 'no', 'n', '0', '否', '假'];

/** Computes what rows make of a document: one task for each, in jobs by a column or by the needs of the tasks. */
export function planSpreadsheet(doc: Doc, options: Options): SpreadsheetPlan {
  return new Planner(doc, options).plan();
}

/** A row that makes a task. */
interface Line {
  row: number;
  task: Task;
  /** The job that a cell names. */
  job?: string;
  known: boolean;
}

class Planner {
  private readonly faults: RowFault[] = [];
  private readonly keys: (string | undefined)[];
  private readonly known: ReadonlyMap<string, Task>;
  /** All keys in use, with the keys of the rows so far; and the same in the form for comparison. */
  private readonly used: string[];
  private readonly taken: Set<string>;
  /** The keys of rows that got another one than they name. */
  private readonly renamed = new Map<string, string>();
  private readonly rowOf = new Map<string, number>();
  private readonly existing: string[] = [];

  constructor(
    private readonly doc: Doc,
    private readonly options: Options,
  ) {
    const tasks = tasksOf(doc);
    this.known = new Map(tasks.map((task) => [foldCase(task.key), task]));
    this.used = tasks.map(({ key }) => key);
    this.taken = new Set(this.used.map(foldCase));
    this.keys = options.rows.map(() => undefined);
  }

  plan(): SpreadsheetPlan {
    const lines = this.options.rows.flatMap((cells, row) => this.lineOf(cells, row) ?? []);
    if (this.renamed.size > 0) for (const line of lines) line.task = withRenamedTasks(line.task, this.renamed);
    const added = lines.filter(({ known }) => !known);
    const jobs = this.doc.jobs.map((job): Job => ({ ...job, tasks: [...(job.tasks ?? [])] }));
    const newJobs = this.place(lines, jobs);
    return {
      doc: { ...this.doc, jobs },
      keys: this.keys,
      added: added.length,
      updated: lines.length - added.length,
      existing: this.existing,
      newJobs,
      faults: this.faults,
    };
  }

  private fault(row: number, code: RowFault['code'], params: RowFault['params'] = {}, whole = true): undefined {
    this.faults.push({ row, code, params, whole });
  }

  private lineOf(cells: readonly string[], row: number): Line | undefined {
    const text = (column: Column) => cells[this.options.columns.indexOf(column)]?.trim() ?? '';
    const wanted = this.wantedKey(text, row);
    if (wanted === undefined) return undefined;
    const present = this.known.get(foldCase(wanted));
    if (present) this.existing.push(present.key);
    if (present && this.options.existing === 'skip') return undefined;
    const base = present && this.options.existing === 'update' ? present : undefined;
    const key = base?.key ?? this.untakenKey(wanted);
    const handler = text('handler') || (base?.handler ?? this.onlyHandler());
    const job = text('job') || undefined;
    if (!this.mayBeLine(row, { key, handler }, job, !base)) return undefined;
    if (!base) this.use(key, wanted);
    this.keys[row] = key;
    return { row, task: this.taskOf(row, cells, { ...base, key, handler }), job, known: base !== undefined };
  }

  /** The key that a row names; undefined if it has none, or one that an earlier row has. */
  private wantedKey(text: (column: Column) => string, row: number): string | undefined {
    const wanted = text('key') || keyFrom(text('title'));
    if (wanted === '') return this.fault(row, 'noKey');
    if (!isKey(wanted)) return this.fault(row, 'badKey', { key: wanted });
    const earlier = this.rowOf.get(foldCase(wanted));
    if (earlier !== undefined) return this.fault(row, 'twice', { key: wanted, other: earlier });
    this.rowOf.set(foldCase(wanted), row);
    return wanted;
  }

  /** The key of a new task: the one that its row names, or one like it if that is taken. */
  private untakenKey(wanted: string): string {
    return this.taken.has(foldCase(wanted)) ? freeKey(this.used, wanted) : wanted;
  }

  /** Whether a row can make its task. If not, the first reason becomes its fault. */
  private mayBeLine(row: number, { key, handler }: Task, job: string | undefined, isNew: boolean): boolean {
    if (handler === '') this.fault(row, 'noHandler', { key });
    else if (isNew && this.used.length >= MAX.tasks) this.fault(row, 'limit', { limit: MAX.tasks });
    else if (job !== undefined && !this.mayBeJob(job)) this.fault(row, 'badJob', { job });
    else return true;
    return false;
  }

  /** Whether a text names a job by its key or title, or can be the key of a new one. */
  private mayBeJob(job: string): boolean {
    return isKey(job) || this.doc.jobs.some(({ key, title }) => title === job || key === job);
  }

  private use(key: string, wanted: string): void {
    this.used.push(key);
    this.taken.add(foldCase(key));
    if (key !== wanted) this.renamed.set(wanted, key);
  }

  /** The handler of tasks if no cell names one: the only one that is offered. */
  private onlyHandler(): string {
    const [only, ...others] = this.options.handlers;
    return only && others.length === 0 ? only.name : '';
  }

  private taskOf(row: number, cells: readonly string[], task: Task): Task {
    this.options.columns.forEach((column, i) => {
      if (['', 'key', 'job', 'handler'].includes(column)) return;
      const text = cells[i]?.trim() ?? '';
      const value = text === '' ? undefined : this.valueOf(row, column, text, cells[i] ?? '');
      if (value !== FAULTY) setField(task, column, value);
    });
    return task;
  }

  private valueOf(row: number, column: Column, text: string, cell: string): unknown {
    if (column === 'needs') return [...new Set(text.split(/[,，;\s]+/).filter(Boolean))];
    if (NUMBERS.includes(column)) {
      if (/^\d{1,6}(\.\d{1,3})?$/.test(text)) return Number(text);
      this.fault(row, 'number', { column, text }, false);
      return FAULTY;
    }
    if (FLAGS.includes(column)) {
      if (YES.includes(text.toLowerCase())) return true;
      if (NO.includes(text.toLowerCase())) return undefined;
      this.fault(row, 'flag', { column, text }, false);
      return FAULTY;
    }
    return column.startsWith('params.') ? jsonOf(cell) : text;
  }

  /** Puts the tasks of the rows into jobs. Returns the keys of the jobs that this adds. */
  private place(lines: readonly Line[], jobs: Job[]): string[] {
    const newJobs: string[] = [];
    const addJob = (wanted: string): number => {
      const key = freeKey(
        jobs.map((job) => job.key),
        wanted,
      );
      newJobs.push(key);
      return jobs.push({ key, tasks: [] }) - 1;
    };
    const named = new Map<string, number>();
    const jobNamed = (name: string): number => {
      const at = named.get(name) ?? jobs.findIndex((job) => foldCase(job.key) === foldCase(name) || job.title === name);
      const index = at >= 0 ? at : addJob(name);
      named.set(name, index);
      return index;
    };
    const lanes = new Map<string, number>();
    jobs.forEach((job, j) => job.tasks?.forEach((task) => lanes.set(task.key, j)));
    const byKey = new Map(lines.map((line) => [line.task.key, line]));
    const first = jobs.findIndex((job) => job.key === this.options.into);
    const start = first >= 0 ? first : jobs.length;
    /** The lane of a row: that of its cell or of its task, otherwise the first one below all that it needs. */
    const laneOf = (line: Line, open: ReadonlySet<string>): number => {
      if (line.job !== undefined) return jobNamed(line.job);
      const { key, needs = [] } = line.task;
      const present = lanes.get(key);
      if (line.known && present !== undefined) return present;
      const inside = new Set([...open, key]);
      return needs.reduce((lane, need) => {
        const other = byKey.get(need);
        const above = other && !inside.has(need) && inside.size < 500 ? laneOnce(other, inside) : lanes.get(need);
        return above === undefined ? lane : Math.max(lane, above + 1);
      }, start);
    };
    const found = new Map<string, number>();
    const laneOnce = (line: Line, open: ReadonlySet<string>): number => {
      const lane = found.get(line.task.key) ?? laneOf(line, open);
      found.set(line.task.key, lane);
      return lane;
    };
    for (const line of lines) {
      const lane = laneOnce(line, new Set());
      while (lane >= jobs.length) addJob('job');
    }
    for (const line of lines) put(jobs, lanes, line, found.get(line.task.key) ?? 0);
    return newJobs;
  }
}

/** Replaces the task of a row, moves it to another job, or adds it. */
function put(jobs: Job[], lanes: ReadonlyMap<string, number>, { task, known }: Line, lane: number): void {
  const present = known ? lanes.get(task.key) : undefined;
  const from = jobs[present ?? -1]?.tasks;
  const index = from?.findIndex((one) => one.key === task.key) ?? -1;
  if (from && present === lane) from[index] = task;
  else {
    from?.splice(index, 1);
    jobs[lane]?.tasks?.push(task);
  }
}

const FAULTY = Symbol('a cell that cannot be read');

/** Sets a field of a task, or removes it. An outer object without fields is removed too. */
function setField(task: Task, column: Column, value: unknown): void {
  const fields = task as unknown as Record<string, unknown>;
  const [first = '', ...rest] = column.split('.');
  const name = rest.join('.');
  if (name === '') {
    if (value === undefined) Reflect.deleteProperty(fields, first);
    else fields[first] = value;
    return;
  }
  const inner = { ...(fields[first] as Record<string, unknown> | undefined) };
  if (value === undefined) Reflect.deleteProperty(inner, name);
  else inner[name] = value;
  if (Object.keys(inner).length > 0) fields[first] = inner;
  else Reflect.deleteProperty(fields, first);
}

/** A key from a title: its letters and digits, joined by underscores; empty if it has none. */
const keyFrom = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 64);

/** The command that applies a plan, as one step. Undefined if it changes nothing. */
export function spreadsheetCommand({ doc, keys, added, updated }: SpreadsheetPlan): Command | undefined {
  const count = added + updated;
  return count === 0
    ? undefined
    : {
        label: { kind: 'pasteRows', params: { count } },
        ops: [{ op: 'all', value: doc }],
        select: { tasks: keys.filter((key) => key !== undefined) },
      };
}
