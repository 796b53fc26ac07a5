import { type DocFault, type FieldFault, MAX } from './faults';
import { headFaults, jobFaults, taskFaults } from './fields';
import { type References, referencesOf } from './refs';
import { type Doc, fold, type Task } from './types';

/** A handler that executors offer: the part of it that is checked here. */
export interface Offered {
  name: string;
  /** JSON Schema of its params. Only names are checked here; the server checks the rest. */
  schema?: { properties?: Record<string, unknown>; required?: string[]; additionalProperties?: unknown };
}

/** How many faults get a suggestion of a similar name: each costs a walk over all keys. */
const HINTS = 8;

/**
 * Finds what is wrong with a document, with the codes and paths of the server. Crons, time zones, expressions and the
 * values of params are left to the server. Handlers are checked only if `offered` names some. The faults of a task's
 * fields are kept for the task object, so that after an edit only changed tasks are checked again.
 */
export function check(doc: Doc, offered: readonly Offered[] = []): DocFault[] {
  const run = new Check(doc, offered);
  run.all();
  return run.faults;
}

/** The numbers of a task's job, and of the task in it. */
interface TaskPosition {
  j: number;
  t: number;
}

class Check {
  readonly faults: DocFault[] = [];
  private readonly exact = new Map<string, TaskPosition>();
  private readonly folded = new Map<string, TaskPosition>();
  private readonly handlers: ReadonlyMap<string, Offered>;
  private hints = 0;

  constructor(
    private readonly doc: Doc,
    private readonly offered: readonly Offered[],
  ) {
    this.handlers = new Map(offered.map((one) => [one.name, one]));
  }

  all(): void {
    for (const fault of headFaults(this.doc)) this.put(fault, -1, -1);
    if (!this.size()) return;
    const jobs = new Set<string>();
    this.doc.jobs.forEach((job, j) => {
      for (const fault of jobFaults(job)) this.put(fault, j, -1);
      if (job.key && jobs.has(fold(job.key)))
        this.put({ code: 'duplicate_key', field: 'key', say: 'duplicate_job_key', params: { value: job.key } }, j, -1);
      if (job.key) jobs.add(fold(job.key));
      job.tasks?.forEach((task, t) => {
        this.locate(task, { j, t });
      });
    });
    this.doc.jobs.forEach((job, j) => {
      job.tasks?.forEach((task, t) => {
        this.needs(task, { j, t });
        this.condition(task, { j, t });
        for (const fault of this.offer(task)) this.put(fault, j, t);
      });
    });
    if (this.doc.jobs.length === 0) this.put({ code: 'no_jobs', field: 'jobs', say: 'no_jobs', warning: true }, -1, -1);
  }

  private put(fault: FieldFault, j: number, t: number): void {
    if (this.faults.length > MAX.faults) return;
    if (this.faults.length === MAX.faults) {
      this.faults.push({ code: 'too_many_faults', path: '', say: 'too_many_faults', params: { high: MAX.faults } });
      return;
    }
    const job = this.doc.jobs[j];
    const task = job?.tasks?.[t];
    const at = `${job ? `jobs[${String(j)}].` : ''}${task ? `tasks[${String(t)}].` : ''}`;
    this.faults.push({
      ...fault,
      path: at + fault.field,
      ...(task ? { task: task.key } : job ? { job: job.key } : {}),
    });
  }

  /** Whether the document is small enough to be checked further. */
  private size(): boolean {
    const jobs = this.doc.jobs.length;
    const tasks = this.doc.jobs.reduce((sum, job) => sum + (job.tasks?.length ?? 0), 0);
    if (jobs > MAX.jobs)
      this.put(
        { code: 'too_many_jobs', field: 'jobs', say: 'too_many_jobs', params: { value: jobs, high: MAX.jobs } },
        -1,
        -1,
      );
    if (tasks > MAX.tasks)
      this.put(
        { code: 'too_many_tasks', field: 'jobs', say: 'too_many_tasks', params: { value: tasks, high: MAX.tasks } },
        -1,
        -1,
      );
    return jobs <= MAX.jobs && tasks <= MAX.tasks;
  }

  private locate(task: Task, at: TaskPosition): void {
    for (const fault of taskFaults(task)) this.put(fault, at.j, at.t);
    if (!task.key) return;
    const lower = fold(task.key);
    const first = this.folded.get(lower);
    if (first)
      this.put(
        {
          code: 'duplicate_key',
          field: 'key',
          say: 'duplicate_key',
          params: { value: task.key, job: this.doc.jobs[first.j]?.key ?? '' },
        },
        at.j,
        at.t,
      );
    else {
      this.folded.set(lower, at);
      this.exact.set(task.key, at);
    }
  }

  private needs(task: Task, at: TaskPosition): void {
    const { needs } = task;
    if (!needs || needs.length === 0) return;
    for (let i = 0; i < needs.length; i++) {
      const need = needs[i] ?? '';
      const target = this.exact.get(need);
      const field = `needs[${String(i)}]`;
      const code = this.needFault(task, need, needs.indexOf(need) < i, at);
      if (code === 'unknown_need') this.unknownNeed(need, field, at);
      else if (code) {
        const params = { need, task: task.key, job: this.doc.jobs[target?.j ?? -1]?.key ?? '' };
        this.put({ code, field, say: code, params }, at.j, at.t);
      }
    }
  }

  /** The code of what is wrong with one need; `repeated` says that it stands in the list before. */
  private needFault(task: Task, need: string, repeated: boolean, at: TaskPosition) {
    if (repeated) return 'duplicate_need';
    if (need === task.key) return 'self_need';
    const target = this.exact.get(need);
    if (!target) return 'unknown_need';
    if (target.j < at.j) return undefined;
    return target.j === at.j ? 'same_job_need' : 'later_need';
  }

  private unknownNeed(need: string, field: string, at: TaskPosition): void {
    const near = this.near(need, () => [...this.exact].flatMap(([key, { j }]) => (j < at.j ? key : [])));
    this.put(
      {
        code: 'unknown_need',
        field,
        say: 'unknown_need',
        ...(near ? { remedySay: 'unknown_need_near' } : {}),
        params: { need, near: near ?? '' },
      },
      at.j,
      at.t,
    );
  }

  private near(word: string, known: () => readonly string[]): string | undefined {
    return word !== '' && this.hints++ < HINTS ? nearest(word, known()) : undefined;
  }

  /** Checks that the condition of a task names existing params and tasks. */
  private condition(task: Task, at: TaskPosition): void {
    if (!task.when) return;
    const { params, outputs } = refsOf(task, task.when);
    for (const value of params) {
      if (!Object.hasOwn(this.doc.params ?? {}, value))
        this.put({ code: 'unknown_param', field: 'when', say: 'unknown_param', params: { value } }, at.j, at.t);
    }
    for (const value of outputs) {
      const target = this.exact.get(value);
      if (!target)
        this.put({ code: 'unknown_task', field: 'when', say: 'unknown_task', params: { value } }, at.j, at.t);
      else if (target.j >= at.j)
        this.put({ code: 'later_need', field: 'when', say: 'later_output', params: { value } }, at.j, at.t);
    }
  }

  /** Checks the handler and the params of a task against what is offered. */
  private offer(task: Task): readonly FieldFault[] {
    if (this.offered.length === 0 || !task.handler) return [];
    let of = offers.get(this.offered);
    if (!of) offers.set(this.offered, (of = new WeakMap()));
    let found = of.get(task);
    if (!found) of.set(task, (found = this.compare(task)));
    return found;
  }

  private compare(task: Task): FieldFault[] {
    const handler = this.handlers.get(task.handler);
    if (!handler) {
      const near = this.near(task.handler, () => [...this.handlers.keys()]);
      return [
        {
          code: 'unknown_handler',
          field: 'handler',
          say: 'unknown_handler',
          warning: true,
          ...(near ? { remedySay: 'unknown_handler_near' as const } : {}),
          params: { value: task.handler, near: near ?? '' },
        },
      ];
    }
    const { properties = {}, required = [], additionalProperties } = handler.schema ?? {};
    const missing = required.filter((name) => !Object.hasOwn(task.params ?? {}, name));
    const strange =
      additionalProperties === false
        ? Object.keys(task.params ?? {}).filter((name) => !Object.hasOwn(properties, name))
        : [];
    return [
      ...missing.map((value): FieldFault => ({
        code: 'missing_field',
        field: `params.${value}`,
        say: 'missing_param',
        params: { value },
      })),
      ...strange.map((value): FieldFault => ({
        code: 'unknown_field',
        field: `params.${value}`,
        say: 'unknown_param_field',
        params: { value, known: Object.keys(properties).sort().join(', ') },
      })),
    ];
  }
}

const offers = new WeakMap<readonly Offered[], WeakMap<Task, readonly FieldFault[]>>();
const references = new WeakMap<Task, References>();

/** What a condition names, each name once. */
function refsOf(task: Task, when: string): References {
  let found = references.get(task);
  if (!found) {
    const { params, outputs } = referencesOf(when);
    references.set(task, (found = { params: [...new Set(params)], outputs: [...new Set(outputs)] }));
  }
  return found;
}

/**
 * The word of `known` that was probably meant: at most a third of the letters differ, and never more than three.
 * Ignores case; the first of several equally near ones wins. The server suggests by the same rule.
 */
function nearest(word: string, known: readonly string[]): string | undefined {
  let best = Math.min(3, Math.max(1, Math.floor(word.length / 3))) + 1;
  let found: string | undefined;
  for (const one of known) {
    const d = distance(word.toLowerCase(), one.toLowerCase(), best);
    if (d < best) [best, found] = [d, one];
  }
  return found;
}

/** The edit distance, a swap of neighbours counting one; the limit if it is not below it. */
function distance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let low = i;
    for (let j = 1; j <= b.length; j++) {
      let cost = Math.min(
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + Number(a[i - 1] !== b[j - 1]),
      );
      if (i > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      row.push(cost);
      low = Math.min(low, cost);
    }
    if (low >= limit) return limit;
    [before, last] = [last, row];
  }
  return last[b.length] ?? limit;
}
