import type { Definition, DefinitionTask } from '@/api/definition';
import { type Batch, RunStore, type TaskRun } from '@/live';

const STATES = ['waiting', 'ready', 'running', 'succeeded', 'failed', 'skipped'] as const;

/** A pseudo-random number generator. Each seed returns the same numbers in every run. */
function newRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x7fffffff;
  };
}

/** A schedule of jobs × width tasks. Each task needs one to three tasks of an earlier job, mostly of the one before. */
export function schedule(jobs: number, width: number): Definition {
  const random = newRandom(7);
  return {
    apiVersion: 'hivego/v1',
    kind: 'Schedule',
    name: 'bench',
    jobs: Array.from({ length: jobs }, (_, j) => ({
      key: `job_${j}`,
      tasks: Array.from({ length: width }, (__, i): DefinitionTask => {
        const needs = Array.from({ length: j === 0 ? 0 : 1 + Math.floor(random() * 3) }, () => {
          const distance = random() < 0.85 ? 1 : 1 + Math.floor(random() * 5);
          const column = Math.min(width - 1, Math.max(0, i + Math.floor((random() - 0.5) * 8)));
          return `task_${Math.max(0, j - distance)}_${column}`;
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

/** The store of a batch whose tasks are all waiting. */
export function batch(definition: Definition): RunStore {
  const tasks = definition.jobs.flatMap((job) => job.tasks ?? []).map(({ key }, number) => run(number, key, 'waiting'));
  const store = new RunStore();
  store.reset({ id: 1, state: 'running', tasks } as unknown as Batch);
  return store;
}

/**
 * Applies 1,000 changes a second to the store, in twenty frames a second as the server does. The returned function
 * stops it.
 */
export function change(store: RunStore, listener?: (runs: readonly TaskRun[]) => void): () => void {
  const random = newRandom(11);
  let n = 1;
  const timer = setInterval(() => {
    const runs = Array.from({ length: 50 }, () => {
      const current = store.getRun(Math.floor(random() * store.getRuns().length));
      return run(current?.number ?? 0, current?.key ?? '', STATES[Math.floor(random() * STATES.length)] ?? 'waiting');
    });
    store.apply({ op: 'delta', id: 1, epoch: 1, n: n++, runs });
    listener?.(runs);
  }, 50);
  return () => {
    clearInterval(timer);
  };
}
