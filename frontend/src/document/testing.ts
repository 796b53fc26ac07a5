import fc from 'fast-check';
import {
  addJob,
  addTask,
  addTaskAfter,
  duplicateJob,
  editHead,
  editJob,
  editParams,
  editTasks,
  removeJob,
  removeTasks,
  renameJob,
  renameTask,
  replaceAll,
  setDisabled,
  setJobDisabled,
} from './commands';
import { duplicateTasks, moveJob, moveTasks, moveTasksToNewJob } from './lanes';
import { ordered, tasksOf } from './ops';
import type { Command } from './store';
import type { Doc } from './types';
import { connect, disconnect, disconnectAll, moveTargetLater, removeRedundant } from './dependencies';

/** For tests: a document of jobs of tasks, each written as `key` or `key: need need`. */
export const doc = (...jobs: string[][]): Doc => ({
  apiVersion: 'hivego/v1',
  kind: 'Schedule',
  name: 'x',
  jobs: jobs.map((tasks, j) => ({
    key: `j${String(j)}`,
    tasks: tasks.map((text) => {
      const [key = '', needs] = text.split(': ');
      return { key, handler: 'shell', ...(needs ? { needs: needs.split(' ') } : {}) };
    }),
  })),
});

/** For tests: the jobs and tasks of a document, written as for `doc`. */
export const shown = (of: Doc): string[][] =>
  of.jobs.map((job) =>
    (job.tasks ?? []).map((task) => (task.needs ? `${task.key}: ${task.needs.join(' ')}` : task.key)),
  );

/** For tests: five jobs with eleven tasks. */
export const story = (): Doc =>
  ordered({
    ...doc(['A', 'B', 'C'], ['D: A B C'], ['E: D', 'F: D', 'G: D', 'H: D'], ['I: E', 'J: G H'], ['K: J']),
    title: 'Nightly',
    triggers: [{ cron: '20 3 * * *' }],
    policy: { timeout: '2h', catchUp: { mode: 'latest' } },
    params: { region: 'east', '#': 'x' },
  });

type Maker = (doc: Doc, n: (most: number) => number) => Command | undefined;

const pick = <T>(list: readonly T[], n: (most: number) => number): T | undefined => list[n(Math.max(1, list.length))];
const task: (doc: Doc, n: (most: number) => number) => string = (of, n) => pick(tasksOf(of), n)?.key ?? 'none';
const several: (doc: Doc, n: (most: number) => number) => string[] = (of, n) =>
  Array.from({ length: 1 + n(4) }, () => task(of, n));
const job: (doc: Doc, n: (most: number) => number) => string = (of, n) => pick(of.jobs, n)?.key ?? 'none';

/** Every kind of command, about random tasks and jobs. */
export const MAKERS: readonly Maker[] = [
  (of, n) => addJob(of, n(8), { title: `t${String(n(9))}` }),
  (of, n) => removeJob(of, job(of, n)),
  (of, n) => moveJob(of, job(of, n), n(8)),
  (of, n) => duplicateJob(of, job(of, n)),
  (of, n) => renameJob(of, job(of, n), `r${String(n(6))}`),
  (of, n) =>
    editJob(
      of,
      job(of, n),
      { timeout: pick(['1h', undefined, '30m'], n), title: pick([undefined, 'a', 'b'], n) },
      pick([undefined, 'g'], n),
    ),
  (of, n) => addTask(of, job(of, n), { handler: 'shell', key: `n${String(n(5))}` }, n(5)),
  (of, n) => addTaskAfter(of, task(of, n), { handler: 'sql' }, pick([undefined, job(of, n)], n)),
  (of, n) =>
    editTasks(
      of,
      several(of, n),
      {
        timeout: pick(['1h', undefined], n),
        title: pick(['x', 'y', undefined], n),
        when: pick([undefined, `outputs.${task(of, n)}.x == "1"`], n),
      },
      pick([undefined, 'g', 'h'], n),
    ),
  (of, n) =>
    editParams(
      of,
      several(of, n),
      { command: pick([undefined, 'a', `\${{ outputs.${task(of, n)}.y }}`], n), [`p${String(n(3))}`]: n(3) },
      pick([undefined, 'g'], n),
    ),
  (of, n) => setDisabled(of, several(of, n), n(2) === 0),
  (of, n) => setJobDisabled(of, job(of, n), n(2) === 0),
  (of, n) => renameTask(of, task(of, n), `q${String(n(6))}`),
  (of, n) => removeTasks(of, several(of, n)),
  (of, n) => connect(of, task(of, n), task(of, n), { tidy: n(2) === 0 }),
  (of, n) => disconnect(of, task(of, n), task(of, n)),
  (of, n) => disconnectAll(of, several(of, n)),
  (of) => removeRedundant(of),
  (of, n) => moveTasks(of, several(of, n), job(of, n), n(5)),
  (of, n) => moveTasksToNewJob(of, several(of, n), n(8)),
  (of, n) => moveTargetLater(of, task(of, n), task(of, n)),
  (of, n) => duplicateTasks(of, several(of, n)),
  (of, n) =>
    editHead(
      of,
      { title: pick([undefined, 'T', 'U'], n), policy: pick([undefined, { timeout: '3h' }, { expire: '1d' }], n) },
      pick([undefined, 'g'], n),
    ),
  (of, n) =>
    editHead(of, {
      triggers: pick(
        [undefined, [{ cron: '@daily' }], [{ cron: '@daily' }, { cron: '@hourly', dst: { gap: 'skip' } }]],
        n,
      ),
    }),
  (of, n) => replaceAll({ ...of, description: `d${String(n(3))}` }, 'editText'),
];

/** Returns numbers below a limit, from a list of numbers that is repeated. */
function lots(seed: readonly number[]): (most: number) => number {
  let at = 0;
  return (most) => (seed.length === 0 ? 0 : (seed[at++ % seed.length] ?? 0) % most);
}

/** For tests: lists of random numbers; `commandOf` makes a command of each list. */
export const anyLots = (most: number): fc.Arbitrary<number[][]> =>
  fc.array(fc.array(fc.nat(), { minLength: 8, maxLength: 12 }), { maxLength: most });

/** The command for a list of random numbers. */
export function commandOf(of: Doc, seed: readonly number[]): Command | undefined {
  const n = lots(seed);
  return MAKERS[n(MAKERS.length)]?.(of, n);
}

/** An object in which nothing can be changed. */
export function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(frozen);
  }
  return value;
}
