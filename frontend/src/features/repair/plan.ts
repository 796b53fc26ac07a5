import { effectiveTask } from '@/api/defaults';
import type { Schemas } from '@/api/client';
import type { Definition, DefinitionTask } from '@/api/definition';
import { errorText } from '@/api/problem';
import { shardName } from '@/live';
import { FINAL } from '@/ui/states';

/** The changes that a repair would make. */
export type RepairPlan = Schemas['RepairPlan'];
/** The repair that a user asks for: an action with its options. */
export type RepairRequest = Schemas['RepairRequest'];
/** What a repair does. */
export type PlanAction = Schemas['PlanAction'];
/** One task run that a plan changes. */
export type PlanRow = Schemas['PlanRow'];
type RunState = Schemas['RunState'];
/** A batch with its task runs. */
export type Batch = Schemas['Batch'];
type TaskRun = Schemas['TaskRun'];

/** How many task runs a plan changes, by the kind of the change. */
export interface Summary {
  /** Runs that start, or start again, including the runs that are killed first. */
  run: number;
  /** Runs that are running now and are killed. */
  kill: number;
  succeed: number;
  ignore: number;
  skip: number;
  cancel: number;
  /** Runs that do not change. */
  keep: number;
}

const CHANGE_OF_STATE: Partial<Record<RunState, keyof Summary>> = {
  waiting: 'run',
  succeeded: 'succeed',
  ignored: 'ignore',
  skipped: 'skip',
  canceled: 'cancel',
};

/** The rows of a plan that count: shards of a task that has a row of its own are part of that row. */
export function countedRows(plan: RepairPlan): PlanRow[] {
  // A mark changes its shards only: the row of their task says that the task is summed up again.
  if (plan.action === 'mark_success' || plan.action === 'mark_skip') {
    const split = new Set(plan.rows.filter((row) => row.shard !== undefined).map((row) => row.task));
    return plan.rows.filter((row) => row.shard !== undefined || row.to !== 'waiting' || !split.has(row.task));
  }
  const whole = new Set(plan.rows.filter((row) => row.shard === undefined).map((row) => row.task));
  return plan.rows.filter((row) => row.shard === undefined || !whole.has(row.task));
}

/** Counts the rows of a plan. `runs` is the number of task runs in its batch, without shards. */
export function summarise(plan: RepairPlan, runs: number): Summary {
  const out: Summary = { run: 0, kill: 0, succeed: 0, ignore: 0, skip: 0, cancel: 0, keep: runs };
  const changed = new Set<string>();
  const killed = new Set(plan.rows.filter((row) => row.kill).map((row) => row.task));
  for (const row of countedRows(plan)) {
    const change = CHANGE_OF_STATE[row.to];
    if (change) out[change]++;
    if (row.shard === undefined ? killed.has(row.task) : row.kill) out.kill++;
    if (row.number >= 0) changed.add(row.task); // a task with a changed shard is not kept
  }
  out.keep -= changed.size;
  return out;
}

/** Whether a plan kills running tasks. The button of such a plan is never highlighted. */
export function destroys(plan: RepairPlan): boolean {
  return plan.action === 'cancel' || plan.rows.some((row) => row.kill);
}

/** The key of the text for the change of a row: `change.<key>`. The text may name the current state. */
export function changeOf(
  row: PlanRow,
): 'runAgain' | 'run' | 'killRun' | 'kill' | 'cancel' | 'succeed' | 'ignore' | 'skip' {
  switch (row.to) {
    case 'waiting':
      if (row.kill) return 'killRun';
      return row.from === undefined || row.from === 'skipped' || row.from === 'ignored' ? 'run' : 'runAgain';
    case 'canceled':
      return row.kill ? 'kill' : 'cancel';
    case 'succeeded':
      return 'succeed';
    case 'ignored':
      return 'ignore';
    default:
      return 'skip';
  }
}

/** Why a row is in a plan: the key of a text under `why`, with its values. */
export interface WhyText {
  key:
    | 'failedBy'
    | 'failed'
    | 'canceled'
    | 'held'
    | 'skipped'
    | 'skippedAnew'
    | 'asked'
    | 'all'
    | 'downstream'
    | 'ranOnBad'
    | 'new'
    | 'removed'
    | 'anew'
    | 'anewBy';
  values: { cause: string; error: string; revision: number };
}

/** The first line of an error that is not blank. */
export function firstLine(error: string): string {
  return (
    error
      .split('\n')
      .find((line) => line.trim() !== '')
      ?.trim() ?? ''
  );
}

/** Returns why a row is in its plan. The text quotes the error of `run`, the current state of the task. */
export function whyOf(row: PlanRow, plan: RepairPlan, run: TaskRun | undefined, named: boolean, t: unknown): WhyText {
  const values = {
    cause: row.cause ?? '',
    error: run ? firstLine(errorText(run, t) || run.detail || '') : '',
    revision: plan.revision,
  };
  const why = (key: WhyText['key']) => ({ key, values });
  switch (row.why) {
    case 'failed':
      return why(values.error ? 'failedBy' : 'failed');
    case 'skipped':
      return why(row.to === 'skipped' ? 'skippedAnew' : 'skipped');
    case 'asked':
      return why(named ? 'asked' : 'all');
    case 'ran_on_bad':
      return why('ranOnBad');
    case 'decide_anew':
      return why(values.cause ? 'anewBy' : 'anew');
    default:
      return why(row.why);
  }
}

/** The unchanged runs of one state, in the order of the definition. */
export interface UnchangedGroup {
  state: RunState;
  tasks: string[];
}

const UNCHANGED_ORDER: readonly RunState[] = [
  'succeeded',
  'running',
  'ready',
  'waiting',
  'unknown',
  'failed',
  'canceled',
  'skipped',
  'ignored',
];

/** Groups the runs that a plan does not change by state, the succeeded ones first. */
export function unchangedGroups(plan: RepairPlan, runs: readonly TaskRun[]): UnchangedGroup[] {
  const changed = new Set(plan.rows.map((row) => row.task));
  const tasksByState = new Map<RunState, string[]>();
  for (const run of runs) {
    if (changed.has(run.key)) continue;
    const tasks = tasksByState.get(run.state);
    if (tasks) tasks.push(run.key);
    else tasksByState.set(run.state, [run.key]);
  }
  return UNCHANGED_ORDER.flatMap((state) => {
    const tasks = tasksByState.get(state);
    return tasks ? [{ state, tasks }] : [];
  });
}

/** An unchanged run whose input is produced again by the plan. The user may run it again too. */
export interface Doubtful {
  task: string;
  /** The task whose output it read. */
  cause: string;
  /** Whether the plan runs it again already. */
  again: boolean;
}

/** Lists the doubtful runs of a plan, sorted by run number. */
export function doubtful(plan: RepairPlan): Doubtful[] {
  return [
    ...plan.kept.flatMap((k) =>
      k.ranOnFailed ? [{ number: k.number, task: k.task, cause: k.ranOnFailed, again: false }] : [],
    ),
    ...countedRows(plan).flatMap((r) =>
      r.why === 'ran_on_bad' ? [{ number: r.number, task: r.task, cause: r.cause ?? '', again: true }] : [],
    ),
  ]
    .sort((a, b) => a.number - b.number)
    .map(({ task, cause, again }) => ({ task, cause, again }));
}

/** The difference between two plans of one request. */
export interface PlanDifference {
  /** Names of the rows (`rowName`) that only the new plan has, or that it changes in another way. */
  changed: ReadonlySet<string>;
  /** Names of the rows that only the old plan has, without shards of such tasks. */
  removed: string[];
}

/** The name of a row: the key of its task, and the index of its shard, as in `copy.3`. */
export const rowName = ({ task, shard }: Pick<PlanRow, 'task' | 'shard'>): string =>
  shard === undefined ? task : shardName(task, shard);

/** Compares an outdated plan with the one that replaces it. */
export function comparePlans(before: RepairPlan, now: RepairPlan): PlanDifference {
  const contentOf = (row: PlanRow) => [row.from, row.to, row.kill ?? false, row.why, row.cause ?? ''].join(' ');
  const old = new Map(before.rows.map((row) => [rowName(row), contentOf(row)]));
  const changed = new Set(now.rows.filter((row) => old.get(rowName(row)) !== contentOf(row)).map(rowName));
  const names = new Set(now.rows.map(rowName));
  const gone = before.rows.filter((row) => !names.has(rowName(row)));
  const goneTasks = new Set(gone.filter((row) => row.shard === undefined).map((row) => row.task));
  return {
    changed,
    removed: gone.filter((row) => row.shard === undefined || !goneTasks.has(row.task)).map(rowName),
  };
}

/** Keys of tasks that only one of two definitions has, or whose work differs. Titles and descriptions do not count. */
export function differingTasks(own: Definition, latest: Definition): Set<string> {
  const workByTask = (d: Definition) =>
    new Map(
      d.jobs.flatMap((job) =>
        (job.tasks ?? []).map((task) => [
          task.key,
          workOf(job.key, withoutStandards(effectiveTask(job, task), d.policy?.priority)),
        ]),
      ),
    );
  const [a, b] = [workByTask(own), workByTask(latest)];
  return new Set([...a.keys(), ...b.keys()].filter((key) => a.get(key) !== b.get(key)));
}

/** Whether a later revision changes exactly the failed tasks of a batch: it is then the correction of the failure. */
export function correctsFailure(different: ReadonlySet<string>, batch: Batch): boolean {
  const failed = batch.tasks.filter((run) => run.state === 'failed').map((run) => run.key);
  return failed.length > 0 && failed.length === different.size && failed.every((key) => different.has(key));
}

/** A task without the standard values that it writes where its job has other defaults. */
function withoutStandards(task: DefinitionTask, priority: number | undefined): DefinitionTask {
  const onLost = { ...task.onLost, max: task.onLost?.max === 2 ? undefined : task.onLost?.max };
  return {
    ...task,
    group: task.group === 'default' ? undefined : task.group,
    killGrace: task.killGrace === '10s' ? undefined : task.killGrace,
    priority: task.priority === 5 && priority === undefined ? undefined : task.priority,
    timeout: task.timeout === '0s' ? undefined : task.timeout,
    retry: task.retry?.max ? task.retry : undefined,
    onLost: onLost.do === undefined && onLost.max === undefined ? undefined : onLost,
  };
}

/** The job and the definition of a task as one comparable text. */
function workOf(job: string, task: DefinitionTask): string {
  return JSON.stringify([job, sortKeys({ ...task, title: undefined, description: undefined })]);
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([k, v]) => [k, sortKeys(v)]),
  );
}

/** Why a plan has no rows: the key of a text under `nothing`. */
export type NothingReason = 'moved' | 'ended' | 'succeeded' | 'soFar' | 'allowed' | 'waits' | 'already';

/** Returns why there is nothing to do. `hadRows` is true if an earlier plan had rows. */
export function whyNothing(action: PlanAction, batch: Batch, hadRows: boolean): NothingReason {
  if (hadRows) return 'moved';
  switch (action) {
    case 'cancel':
      return 'ended';
    case 'rerun':
      return 'waits';
    case 'resume':
      if (batch.tasks.some((run) => run.state === 'failed')) return 'allowed';
      return batch.live || batch.tasks.some((run) => !FINAL.has(run.state)) ? 'soFar' : 'succeeded';
    default:
      return 'already';
  }
}

/** A number as a word from `list` (`no|one|two|…`), or in digits if the list has no word for it. */
export function numeral(n: number, list: string, language: string): string {
  return list.split('|')[n] || n.toLocaleString(language);
}

/** The sentence with its first letter in upper case. */
export function capital(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

/** The number of batches of other schedules that a plan with dependants runs again. The first step is its own batch. */
export function rerunBatches({ dependants }: RepairPlan): number {
  return dependants?.steps.slice(1).filter((step) => step.fate === 'rerun').length ?? 0;
}
