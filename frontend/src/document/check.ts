import { type DocFault, type FieldFault, MAX } from './faults';
import { headFaults, jobFaults, taskFaults } from './fields';
import { type References, referencesOf } from './refs';
import { type Doc, foldCase, type Job, type Task } from './types';

/** The part of an offered handler that is checked here. */
export interface HandlerSpec {
  name: string;
  /** JSON Schema of its params. Only names are checked here; the server checks the rest. */
  schema?: { properties?: Record<string, unknown>; required?: string[]; additionalProperties?: unknown };
}

/** How many faults get a suggestion of a similar name: each costs a walk over all keys. */
const HINTS = 8;

/**
 * Finds the faults of a document, with the codes and paths that the server uses. Crons, time zones, expressions and the
 * values of params are left to the server. Handlers are checked only if `offered` names some. The faults of a task's
 * fields are cached by the task object, so that only changed tasks are checked again after an edit.
 */
export function check(doc: Doc, offered: readonly HandlerSpec[] = []): DocFault[] {
  const checker = new Check(doc, offered);
  checker.checkDocument();
  return checker.faults;
}

/** The index of a task's job, and the index of the task in that job. */
interface TaskPosition {
  j: number;
  t: number;
}

class Check {
  readonly faults: DocFault[] = [];
  private readonly positions = new Map<string, TaskPosition>();
  private readonly positionsIgnoringCase = new Map<string, TaskPosition>();
  private readonly handlers: ReadonlyMap<string, HandlerSpec>;
  private hints = 0;

  constructor(
    private readonly doc: Doc,
    private readonly offered: readonly HandlerSpec[],
  ) {
    this.handlers = new Map(offered.map((one) => [one.name, one]));
  }

  checkDocument(): void {
    for (const fault of headFaults(this.doc)) this.report(fault, -1, -1);
    if (!this.isWithinLimits()) return;
    const jobs = new Set<string>();
    this.doc.jobs.forEach((job, j) => {
      for (const fault of jobFaults(job)) this.report(fault, j, -1);
      if (job.key && jobs.has(foldCase(job.key)))
        this.report(
          { code: 'duplicate_key', field: 'key', textKey: 'duplicate_job_key', params: { value: job.key } },
          j,
          -1,
        );
      if (job.key) jobs.add(foldCase(job.key));
      job.tasks?.forEach((task, t) => {
        this.registerTask(task, { j, t });
      });
    });
    this.doc.jobs.forEach((job, j) => {
      const retryWhen = job.defaults?.retry?.when;
      if (retryWhen)
        this.checkCondition('defaults.retry.when', referencesIn(jobReferences, job, retryWhen), { j, t: -1 });
      job.tasks?.forEach((task, t) => {
        this.checkNeeds(task, { j, t });
        this.checkConditions(task, { j, t });
        this.checkRouteKey(task, { j, t });
        for (const fault of this.handlerFaults(task)) this.report(fault, j, t);
      });
    });
    if (this.doc.jobs.length === 0)
      this.report({ code: 'no_jobs', field: 'jobs', textKey: 'no_jobs', warning: true }, -1, -1);
  }

  private report(fault: FieldFault, j: number, t: number): void {
    if (this.faults.length > MAX.faults) return;
    if (this.faults.length === MAX.faults) {
      this.faults.push({ code: 'too_many_faults', path: '', textKey: 'too_many_faults', params: { high: MAX.faults } });
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
  private isWithinLimits(): boolean {
    const jobs = this.doc.jobs.length;
    const tasks = this.doc.jobs.reduce((sum, job) => sum + (job.tasks?.length ?? 0), 0);
    if (jobs > MAX.jobs)
      this.report(
        { code: 'too_many_jobs', field: 'jobs', textKey: 'too_many_jobs', params: { value: jobs, high: MAX.jobs } },
        -1,
        -1,
      );
    if (tasks > MAX.tasks)
      this.report(
        { code: 'too_many_tasks', field: 'jobs', textKey: 'too_many_tasks', params: { value: tasks, high: MAX.tasks } },
        -1,
        -1,
      );
    return jobs <= MAX.jobs && tasks <= MAX.tasks;
  }

  private registerTask(task: Task, at: TaskPosition): void {
    for (const fault of taskFaults(task)) this.report(fault, at.j, at.t);
    if (!task.key) return;
    const lower = foldCase(task.key);
    const first = this.positionsIgnoringCase.get(lower);
    if (first)
      this.report(
        {
          code: 'duplicate_key',
          field: 'key',
          textKey: 'duplicate_key',
          params: { value: task.key, job: this.doc.jobs[first.j]?.key ?? '' },
        },
        at.j,
        at.t,
      );
    else {
      this.positionsIgnoringCase.set(lower, at);
      this.positions.set(task.key, at);
    }
  }

  private checkNeeds(task: Task, at: TaskPosition): void {
    const { needs } = task;
    if (!needs || needs.length === 0) return;
    for (let i = 0; i < needs.length; i++) {
      const need = needs[i] ?? '';
      const target = this.positions.get(need);
      const field = `needs[${String(i)}]`;
      const code = this.needFaultCode(task, need, needs.indexOf(need) < i, at);
      if (code === 'unknown_need') this.reportUnknownNeed(need, field, at);
      else if (code) {
        const params = { need, task: task.key, job: this.doc.jobs[target?.j ?? -1]?.key ?? '' };
        this.report({ code, field, textKey: code, params }, at.j, at.t);
      }
    }
  }

  /** The code of a need's fault; `repeated` means that the list has the same need before it. */
  private needFaultCode(task: Task, need: string, repeated: boolean, at: TaskPosition) {
    if (repeated) return 'duplicate_need';
    if (need === task.key) return 'self_need';
    const target = this.positions.get(need);
    if (!target) return 'unknown_need';
    if (target.j < at.j) return undefined;
    return target.j === at.j ? 'same_job_need' : 'later_need';
  }

  private reportUnknownNeed(need: string, field: string, at: TaskPosition): void {
    const near = this.similarName(need, () => [...this.positions].flatMap(([key, { j }]) => (j < at.j ? key : [])));
    this.report(
      {
        code: 'unknown_need',
        field,
        textKey: 'unknown_need',
        ...(near ? { remedyKey: 'unknown_need_near' } : {}),
        params: { need, near: near ?? '' },
      },
      at.j,
      at.t,
    );
  }

  private similarName(word: string, candidates: () => readonly string[]): string | undefined {
    return word !== '' && this.hints++ < HINTS ? nearestName(word, candidates()) : undefined;
  }

  /** Checks that the conditions of a task name existing params and tasks. */
  private checkConditions(task: Task, at: TaskPosition): void {
    if (task.when) this.checkCondition('when', referencesIn(conditionReferences, task, task.when), at);
    const { retry } = task;
    if (retry?.when) this.checkCondition('retry.when', referencesIn(retryReferences, task, retry.when), at);
  }

  private checkCondition(field: string, { params, outputs }: References, at: TaskPosition): void {
    for (const value of params) {
      if (!Object.hasOwn(this.doc.params ?? {}, value))
        this.report({ code: 'unknown_param', field, textKey: 'unknown_param', params: { value } }, at.j, at.t);
    }
    for (const value of outputs) {
      const target = this.positions.get(value);
      if (!target) this.report({ code: 'unknown_task', field, textKey: 'unknown_task', params: { value } }, at.j, at.t);
      else if (target.j >= at.j)
        this.report({ code: 'later_need', field, textKey: 'later_output', params: { value } }, at.j, at.t);
    }
  }

  /** Checks that the key of a route has an effect. */
  private checkRouteKey({ route, routeKey }: Task, { j, t }: TaskPosition): void {
    const value = route ?? this.doc.policy?.route ?? 'least_loaded';
    if (!routeKey || value === 'consistent_hash') return;
    const params = { value, route: 'consistent_hash' };
    this.report({ code: 'bad_value', field: 'routeKey', textKey: 'route_key_alone', params }, j, t);
  }

  /** Checks the handler and the params of a task against the offered handlers. */
  private handlerFaults(task: Task): readonly FieldFault[] {
    if (this.offered.length === 0 || !task.handler) return [];
    let cache = handlerFaultCache.get(this.offered);
    if (!cache) handlerFaultCache.set(this.offered, (cache = new WeakMap()));
    let faults = cache.get(task);
    if (!faults) cache.set(task, (faults = this.compareWithHandler(task)));
    return faults;
  }

  private compareWithHandler(task: Task): FieldFault[] {
    const handler = this.handlers.get(task.handler);
    if (!handler) {
      const near = this.similarName(task.handler, () => [...this.handlers.keys()]);
      return [
        {
          code: 'unknown_handler',
          field: 'handler',
          textKey: 'unknown_handler',
          warning: true,
          ...(near ? { remedyKey: 'unknown_handler_near' as const } : {}),
          params: { value: task.handler, near: near ?? '' },
        },
      ];
    }
    const { properties = {}, required = [], additionalProperties } = handler.schema ?? {};
    const missing = required.filter((name) => !Object.hasOwn(task.params ?? {}, name));
    const unknown =
      additionalProperties === false
        ? Object.keys(task.params ?? {}).filter((name) => !Object.hasOwn(properties, name))
        : [];
    return [
      ...missing.map((value): FieldFault => ({
        code: 'missing_field',
        field: `params.${value}`,
        textKey: 'missing_param',
        params: { value },
      })),
      ...unknown.map((value): FieldFault => ({
        code: 'unknown_field',
        field: `params.${value}`,
        textKey: 'unknown_param_field',
        params: { value, known: Object.keys(properties).sort().join(', ') },
      })),
    ];
  }
}

const handlerFaultCache = new WeakMap<readonly HandlerSpec[], WeakMap<Task, readonly FieldFault[]>>();
const conditionReferences = new WeakMap<Task, References>();
const retryReferences = new WeakMap<Task, References>();
const jobReferences = new WeakMap<Job, References>();

/** The params and tasks that a condition names, each once. */
function referencesIn<T extends object>(cache: WeakMap<T, References>, holder: T, condition: string): References {
  let found = cache.get(holder);
  if (!found) {
    const { params, outputs } = referencesOf(condition);
    cache.set(holder, (found = { params: [...new Set(params)], outputs: [...new Set(outputs)] }));
  }
  return found;
}

/**
 * The candidate that was probably meant: at most a third of the letters differ, and never more than three.
 * Ignores case. Of several equally similar candidates the first one is returned. The server has the same rule.
 */
function nearestName(word: string, candidates: readonly string[]): string | undefined {
  let best = Math.min(3, Math.max(1, Math.floor(word.length / 3))) + 1;
  let closest: string | undefined;
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase(), best);
    if (distance < best) [best, closest] = [distance, candidate];
  }
  return closest;
}

/** The edit distance, where a swap of neighbours counts one. Returns `limit` if the distance is not below it. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let rowBeforeLast: number[] = [];
  let lastRow = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let least = i;
    for (let j = 1; j <= b.length; j++) {
      let cost = Math.min(
        (lastRow[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (lastRow[j - 1] ?? 0) + Number(a[i - 1] !== b[j - 1]),
      );
      if (i > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, (rowBeforeLast[j - 2] ?? 0) + 1);
      row.push(cost);
      least = Math.min(least, cost);
    }
    if (least >= limit) return limit;
    [rowBeforeLast, lastRow] = [lastRow, row];
  }
  return lastRow[b.length] ?? limit;
}
