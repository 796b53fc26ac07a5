import type { RunState } from '@/ui';

/** The part of a task run that counts for its job. */
export interface JobRun {
  key: string;
  state: RunState;
  reason?: string;
  round?: number;
  startedAt?: string;
  finishedAt?: string;
}

/** What the task runs of a job amount to. */
export interface JobRollUp {
  state: RunState;
  /** Runs that need nothing more. */
  done: number;
  total: number;
  /** The first start in the current round of the job. */
  startedAt?: string;
  /** The last end; undefined until all runs are final. */
  finishedAt?: string;
}

type Effect = 'pending' | 'success' | 'failure' | 'none';

/** The kinds of runs, first those that decide the state of a job, as in `graph.RollUp` of the server. */
const RANKS: readonly (readonly [RunState, Effect])[] = [
  ['failed', 'failure'],
  ['unknown', 'pending'],
  ['running', 'pending'],
  ['ready', 'pending'],
  ['waiting', 'pending'],
  ['canceled', 'failure'],
  ['skipped', 'failure'],
  ['succeeded', 'success'],
  ['skipped', 'none'],
  ['ignored', 'success'],
];

/** The effect of a run for its dependents, as in `hive.EffectOf` of the server. */
function effectOf({ state, reason }: JobRun, allowed: boolean): Effect {
  switch (state) {
    case 'succeeded':
    case 'ignored':
      return 'success';
    case 'failed':
      return allowed ? 'success' : 'failure';
    case 'canceled':
      return 'failure';
    case 'skipped':
      return reason === 'rule' ? 'none' : 'failure';
    default:
      return 'pending';
  }
}

const earliest = (times: string[]) => times.reduce<string | undefined>((a, b) => (a && a < b ? a : b), undefined);
const latest = (times: string[]) => times.reduce<string | undefined>((a, b) => (a && a > b ? a : b), undefined);

/**
 * Sums up the runs of one job, by the rule of the server. `allowed` has the keys of tasks that may fail. Undefined
 * without runs.
 */
export function rollUp(runs: readonly JobRun[], allowed: ReadonlySet<string>): JobRollUp | undefined {
  if (runs.length === 0) return undefined;
  const kinds = runs.map((run): readonly [RunState, Effect] => {
    const may = allowed.has(run.key);
    return [run.state === 'failed' && may ? 'succeeded' : run.state, effectOf(run, may)];
  });
  const state = RANKS.find(([s, e]) => kinds.some(([ks, ke]) => ks === s && ke === e))?.[0] ?? 'waiting';
  const round = Math.max(...runs.map((run) => run.round ?? 1));
  const current = runs.filter((run) => (run.round ?? 1) === round);
  const open = kinds.some(([, effect]) => effect === 'pending');
  return {
    state,
    done: kinds.filter(([, effect]) => effect === 'success' || effect === 'none').length,
    total: runs.length,
    startedAt: earliest(current.flatMap((run) => run.startedAt ?? [])),
    finishedAt: open ? undefined : latest(current.flatMap((run) => run.finishedAt ?? [])),
  };
}
