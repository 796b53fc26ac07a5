import type { Schemas } from '@/api/client';
import type { Definition, DefinitionTask } from '@/api/definition';
import { errorText } from '@/api/problem';
import { FINAL } from '@/ui/states';

export type RepairPlan = Schemas['RepairPlan'];
export type RepairRequest = Schemas['RepairRequest'];
export type PlanAction = Schemas['PlanAction'];
export type PlanRow = Schemas['PlanRow'];
type RunState = Schemas['RunState'];
type Batch = Schemas['Batch'];
type TaskRun = Schemas['TaskRun'];

/** How many task runs a plan changes, by what becomes of them. */
export interface Summary {
  /** Run (again); those that are killed first are among them. */
  run: number;
  /** Run now and are killed, whatever comes after. */
  kill: number;
  succeed: number;
  ignore: number;
  skip: number;
  cancel: number;
  /** Stay as they are. */
  keep: number;
}

const BECOMES: Partial<Record<RunState, keyof Summary>> = {
  waiting: 'run',
  succeeded: 'succeed',
  ignored: 'ignore',
  skipped: 'skip',
  canceled: 'cancel',
};

/** Counts a plan; `runs` is how many task runs its batch has. */
export function summarise(plan: RepairPlan, runs: number): Summary {
  const out: Summary = { run: 0, kill: 0, succeed: 0, ignore: 0, skip: 0, cancel: 0, keep: runs };
  for (const row of plan.rows) {
    const becomes = BECOMES[row.to];
    if (becomes) out[becomes]++;
    if (row.kill) out.kill++;
    if (row.number >= 0) out.keep--;
  }
  return out;
}

/** Whether carrying a plan out ends what runs: nothing to be done by a stray key. */
export function destroys(plan: RepairPlan): boolean {
  return plan.action === 'cancel' || plan.rows.some((row) => row.kill);
}

/** The key of the words for what becomes of a row: `change.<key>`; they may say the state that it is in. */
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

/** Words for why a row is in a plan: a key below `why`, and what to fill in. */
export interface WhyWords {
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

/** The first line of an error that says something. */
export function firstLine(error: string): string {
  return (
    error
      .split('\n')
      .find((line) => line.trim() !== '')
      ?.trim() ?? ''
  );
}

/** Why a row is in its plan. `run` is the task run as the page knows it: what it failed of. */
export function whyOf(row: PlanRow, plan: RepairPlan, run: TaskRun | undefined, named: boolean, t: unknown): WhyWords {
  const values = {
    cause: row.cause ?? '',
    error: run ? firstLine(errorText(run, t) || run.detail || '') : '',
    revision: plan.revision,
  };
  const is = (key: WhyWords['key']) => ({ key, values });
  switch (row.why) {
    case 'failed':
      return is(values.error ? 'failedBy' : 'failed');
    case 'skipped':
      return is(row.to === 'skipped' ? 'skippedAnew' : 'skipped');
    case 'asked':
      return is(named ? 'asked' : 'all');
    case 'ran_on_bad':
      return is('ranOnBad');
    case 'decide_anew':
      return is(values.cause ? 'anewBy' : 'anew');
    default:
      return is(row.why);
  }
}

/** Kept runs of one state, by the order of the definition. */
export interface KeptGroup {
  state: RunState;
  tasks: string[];
}

const KEPT_ORDER: readonly RunState[] = [
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

/** The runs that a plan leaves as they are, by state: what succeeded first. */
export function keptGroups(plan: RepairPlan, runs: readonly TaskRun[]): KeptGroup[] {
  const changed = new Set(plan.rows.map((row) => row.number));
  const by = new Map<RunState, string[]>();
  for (const run of runs) {
    if (changed.has(run.number)) continue;
    const group = by.get(run.state);
    if (group) group.push(run.key);
    else by.set(run.state, [run.key]);
  }
  return KEPT_ORDER.flatMap((state) => (by.has(state) ? [{ state, tasks: by.get(state) ?? [] }] : []));
}

/** Kept runs whose input the plan makes anew: each may be run again as well, and some of them already are. */
export interface Doubtful {
  task: string;
  cause: string;
  again: boolean;
}

export function doubtful(plan: RepairPlan): Doubtful[] {
  return [
    ...plan.kept.flatMap((k) =>
      k.ranOnFailed ? [{ number: k.number, task: k.task, cause: k.ranOnFailed, again: false }] : [],
    ),
    ...plan.rows.flatMap((r) =>
      r.why === 'ran_on_bad' ? [{ number: r.number, task: r.task, cause: r.cause ?? '', again: true }] : [],
    ),
  ]
    .sort((a, b) => a.number - b.number)
    .map(({ task, cause, again }) => ({ task, cause, again }));
}

/** What differs between two plans of the same request: keys of tasks that are new in it or change otherwise, and that left it. */
export interface Moved {
  changed: ReadonlySet<string>;
  gone: string[];
}

export function compare(before: RepairPlan, now: RepairPlan): Moved {
  const sign = (row: PlanRow) => [row.from, row.to, row.kill ?? false, row.why, row.cause ?? ''].join(' ');
  const old = new Map(before.rows.map((row) => [row.task, sign(row)]));
  const changed = new Set(now.rows.filter((row) => old.get(row.task) !== sign(row)).map((row) => row.task));
  const left = new Set(now.rows.map((row) => row.task));
  return { changed, gone: before.rows.filter((row) => !left.has(row.task)).map((row) => row.task) };
}

/** Tasks that another definition does not have, or has otherwise: what they do, not what they are called. */
export function differing(own: Definition, latest: Definition): Set<string> {
  const all = (d: Definition) =>
    new Map(d.jobs.flatMap((job) => (job.tasks ?? []).map((task) => [task.key, text(job.key, task)])));
  const [a, b] = [all(own), all(latest)];
  return new Set([...a.keys(), ...b.keys()].filter((key) => a.get(key) !== b.get(key)));
}

function text(job: string, task: DefinitionTask): string {
  return JSON.stringify([job, sorted({ ...task, title: undefined, description: undefined })]);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([k, v]) => [k, sorted(v)]),
  );
}

/** Why a plan has no rows: a key below `nothing`. */
export type Nothing = 'moved' | 'ended' | 'succeeded' | 'soFar' | 'allowed' | 'waits' | 'already';

/** Says why there is nothing to do; `moved` if there was something a moment ago. */
export function whyNothing(action: PlanAction, batch: Batch, moved: boolean): Nothing {
  if (moved) return 'moved';
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

/** A small number as a word where the language has a list of them (`no|one|two|…`), else in figures. */
export function numeral(n: number, list: string, language: string): string {
  return list.split('|')[n] || n.toLocaleString(language);
}

/** The sentence with its first letter large. */
export function capital(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}
