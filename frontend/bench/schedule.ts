import type { Definition, DefinitionTask } from '@/api/definition';
import { type Batch, RunStore, type TaskRun } from '@/live';

const STATES = ['waiting', 'ready', 'running', 'succeeded', 'failed', 'skipped'] as const;

/** Numbers that look random and are the same each time. */
function dice(seed: number): () => number {
  let at = seed;
  return () => {
    at = (Math.imul(at, 1_103_515_245) + 12_345) & 0x7fffffff;
    return at / 0x7fffffff;
  };
}

/**
 * A schedule of jobs × width tasks, each with one to three needs: most of the job before, near by, some from further
 * up.
 */
export function schedule(jobs: number, width: number): Definition {
  const roll = dice(7);
  return {
    apiVersion: 'hivego/v1',
    kind: 'Schedule',
    name: 'bench',
    jobs: Array.from({ length: jobs }, (_, j) => ({
      key: `job_${j}`,
      tasks: Array.from({ length: width }, (__, i): DefinitionTask => {
        const needs = Array.from({ length: j === 0 ? 0 : 1 + Math.floor(roll() * 3) }, () => {
          const up = roll() < 0.85 ? 1 : 1 + Math.floor(roll() * 5);
          const beside = Math.min(width - 1, Math.max(0, i + Math.floor((roll() - 0.5) * 8)));
          return `task_${Math.max(0, j - up)}_${beside}`;
        });
        return { key: `task_${j}_${i}`, handler: 'shell', needs: [...new Set(needs)] };
      }),
    })),
  };
}

const run = (number: number, key: string, state: TaskRun['state']): TaskRun => ({
  number,
  key,
  job: '',
  state,
  reason: '',
  attempts: 1,
  executor: '',
  error: '',
  round: 1,
  startedAt: new Date().toISOString(),
});

/** The store of a batch in which nothing has run yet. */
export function batch(definition: Definition): RunStore {
  const tasks = definition.jobs.flatMap((job) => job.tasks ?? []).map(({ key }, number) => run(number, key, 'waiting'));
  const store = new RunStore();
  store.reset({ id: 1, state: 'running', tasks } as unknown as Batch);
  return store;
}

/**
 * Tells `listener` of 1,000 changes a second, as the server does: at most twenty frames a second. Ends with the
 * answer's call.
 */
export function change(store: RunStore, listener?: (runs: readonly TaskRun[]) => void): () => void {
  const roll = dice(11);
  let n = 1;
  const timer = setInterval(() => {
    const runs = Array.from({ length: 50 }, () => {
      const known = store.getRun(Math.floor(roll() * store.getRuns().length));
      return run(known?.number ?? 0, known?.key ?? '', STATES[Math.floor(roll() * STATES.length)] ?? 'waiting');
    });
    store.apply({ op: 'delta', id: 1, epoch: 1, n: n++, runs });
    listener?.(runs);
  }, 50);
  return () => {
    clearInterval(timer);
  };
}
