import { type DocFault, type FieldFault, MAX } from './faults';
import { headFaults, jobFaults, taskFaults } from './fields';
import { nearest } from './nearest';
import { type References, referencesOf } from './refs';
import { type Doc, fold, type Task } from './types';

/** A handler that executors offer: as much of it as can be checked here. */
export interface Offered {
  name: string;
  /** JSON Schema of its params; only its names are looked at, the server looks at the rest. */
  schema?: { properties?: Record<string, unknown>; required?: string[]; additionalProperties?: unknown };
}

/** How often something near is looked for: each costs a walk over all keys. */
const HINTS = 8;

/**
 * What is wrong with a document, as far as it can be seen without the server: the codes and paths are the server's. Crons,
 * zones, expressions, and the values of params are left to it. Handlers are checked if it is known what is offered.
 * What is wrong within a task is remembered with the task, so that after an edit only what changed is looked at again.
 */
export function check(doc: Doc, offered: readonly Offered[] = []): DocFault[] {
  const run = new Check(doc, offered);
  run.all();
  return run.faults;
}

interface Spot {
  j: number;
  t: number;
}

class Check {
  readonly faults: DocFault[] = [];
  private readonly exact = new Map<string, Spot>();
  private readonly folded = new Map<string, Spot>();
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

  /** Whether it is small enough to be looked into. */
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

  private locate(task: Task, at: Spot): void {
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

  private needs(task: Task, at: Spot): void {
    const { needs } = task;
    if (!needs || needs.length === 0) return;
    for (let i = 0; i < needs.length; i++) {
      const need = needs[i] ?? '';
      const twice = needs.indexOf(need) < i;
      const target = this.exact.get(need);
      if (!twice && need !== task.key && target && target.j < at.j) continue;
      const params = { need, task: task.key, job: this.doc.jobs[target?.j ?? -1]?.key ?? '' };
      const put = (code: 'duplicate_need' | 'self_need' | 'same_job_need' | 'later_need') => {
        this.put({ code, field: `needs[${String(i)}]`, say: code, params }, at.j, at.t);
      };
      if (twice) put('duplicate_need');
      else if (need === task.key) put('self_need');
      else if (!target) this.unknownNeed(need, `needs[${String(i)}]`, at);
      else put(target.j === at.j ? 'same_job_need' : 'later_need');
    }
  }

  private unknownNeed(need: string, field: string, at: Spot): void {
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

  /** What the condition of a task names. */
  private condition(task: Task, at: Spot): void {
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

  /** What the handler of a task says of it. */
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
