import type { Schemas } from '@/api/client';
import type { LiveFrame } from './socket';

/** A batch with its task runs. */
export type Batch = Schemas['Batch'];
/** A task run of a batch. */
export type TaskRun = Schemas['TaskRun'];
/** A shard of a task run. */
export type ShardRun = Schemas['ShardRun'];
type LiveRun = Schemas['LiveRun'];

/** The name of a shard, which stands for a key wherever a task is named. Keys of tasks have no dot. */
export const shardName = (task: string, index: number): string => `${task}.${String(index)}`;

/** The key of the task that a name belongs to: that of a task, or of one of its shards. */
export const taskKeyOf = <T extends string | undefined>(name: T): T => name?.split('.')[0] as T;

/** Decides when listeners are notified: it calls `notify` once, now or soon. */
export type Scheduler = (notify: () => void) => void;

const immediately: Scheduler = (notify) => {
  notify();
};

/**
 * Notifies listeners at the next frame of the browser, so that a thousand changes a second cause one render per frame.
 * A hidden page has no frames; it is notified after a quarter of a second, so that its title stays current.
 */
export const perFrame: Scheduler = (notify) => {
  const once = () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    notify();
  };
  const frame = requestAnimationFrame(once);
  const timer = setTimeout(once, 250);
};

/**
 * The state of a batch on this page: the batch, and its task runs by number. A listener of a run is notified only about
 * that run, so a change of a task renders one card, for any size of the batch. Reads always return the newest state;
 * listeners are notified by the scheduler.
 *
 * A shard has a number too, and is read as a run with its name as the key. It is not among the runs of tasks; a change
 * of it is a change of the run of its task.
 */
export class RunStore {
  private batch?: Batch;
  private runs: TaskRun[] = []; // of tasks, in the order of their numbers
  private places = new Map<number, Place>();
  private byKey = new Map<string, number>();
  private keys: readonly string[] = [];
  private version = 0;
  private frames = 0;
  private pending?: Set<number>;
  private readonly listeners = new Set<() => void>();
  private readonly runListeners = new Map<number, Set<() => void>>();

  constructor(private readonly schedule: Scheduler = immediately) {}

  /** The newest state of the batch. Its `tasks` are outdated: read runs from the store instead. */
  getBatch = (): Batch | undefined => this.batch;
  getRun = (number: number): TaskRun | undefined => {
    const place = this.places.get(number);
    const run = place && this.runs[place.task];
    if (!run || place.shard === undefined) return run;
    const shard = run.shards?.[place.shard];
    return shard && runOfShard(run, shard);
  };
  getRuns = (): readonly TaskRun[] => this.runs;
  /** The keys of the tasks in order. The same array as long as the batch has the same tasks. */
  getKeys = (): readonly string[] => this.keys;
  /** The number of task runs, with shards. */
  getRunCount = (): number => this.places.size;
  numberOf = (key: string): number | undefined => this.byKey.get(key);
  /** Grows with every change. */
  getVersion = (): number => this.version;
  /** The number of received live frames. A reader ignores its answer if this has grown since its request. */
  getFrames = (): number => this.frames;

  /** Notifies the listener of every change. */
  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Notifies the listener of changes of one run. */
  subscribeRun = (number: number, listener: () => void): (() => void) => {
    const set = this.runListeners.get(number) ?? new Set();
    this.runListeners.set(number, set.add(listener));
    return () => {
      set.delete(listener);
      if (set.size === 0 && this.runListeners.get(number) === set) this.runListeners.delete(number);
    };
  };

  /**
   * Replaces the state by a snapshot, or by the answer of `GET /batches/{id}`. Unchanged runs remain the same object.
   */
  reset(batch: Batch): void {
    const before = new Map(this.runs.map((run) => [run.number, run]));
    this.runs = [...batch.tasks]
      .sort((a, b) => a.number - b.number)
      .map((run) => {
        const old = before.get(run.number);
        return old && isEqual(old, run) ? old : run;
      });
    const changed: number[] = [];
    for (const run of this.runs) {
      const old = before.get(run.number);
      before.delete(run.number);
      if (old !== run) changed.push(run.number, ...numbersOf(old), ...numbersOf(run));
    }
    changed.push(...before.keys());
    if (changed.length > 0) this.index();
    if (this.batch && changed.length === 0 && isEqual({ ...this.batch, tasks: [] }, { ...batch, tasks: [] })) return;
    this.batch = batch;
    this.noteChanges(changed);
  }

  /** Applies a frame of the topic `batch`. */
  apply(frame: LiveFrame): void {
    if (frame.op !== 'snapshot' && frame.op !== 'delta') return;
    this.frames++;
    if (frame.op === 'snapshot') {
      if (frame.batch) this.reset(frame.batch);
      return;
    }
    const old = this.batch;
    if (!old) return;
    // A delta may lack params and usual duration, and never has tasks. Any other missing field, such as `pausedAt`, was
    // removed.
    if (frame.batch) {
      const { params = old.params, usualSeconds = old.usualSeconds } = frame.batch;
      this.batch = { ...frame.batch, params, usualSeconds, tasks: old.tasks };
    }
    const changed = this.merge(frame.runs ?? []);
    if (changed.length > 0 || frame.batch) this.noteChanges(changed);
  }

  /** Notes where each run is. The keys remain the same array if no task was added. */
  private index(): void {
    this.places = new Map();
    this.byKey = new Map();
    this.runs.forEach((run, task) => {
      this.places.set(run.number, { task });
      this.byKey.set(run.key, run.number);
      run.shards?.forEach((shard, at) => {
        this.places.set(shard.number, { task, shard: at });
        this.byKey.set(shardName(run.key, shard.index), shard.number);
      });
    });
    const keys = this.runs.map((run) => run.key);
    if (!isEqual(keys, this.keys)) this.keys = keys;
  }

  /** Merges runs of a delta into the store, and returns the numbers of those that changed. */
  private merge(updates: readonly LiveRun[]): number[] {
    const changed = new Set<number>();
    const runs = this.runs.slice();
    const fresh = new Set<ShardRun[]>(); // the lists of shards that this call has copied
    for (const update of updates) {
      const place = this.places.get(update.number);
      const before = place && runs[place.task];
      if (!before) continue; // added by a repair, or a new shard: the server sends a snapshot next
      if (place.shard === undefined) {
        const after = applyUpdate(before, update);
        if (isEqual(before, after)) continue;
        runs[place.task] = after;
      } else {
        let { shards = [] } = before;
        const old = shards[place.shard];
        if (!old) continue;
        if (!fresh.has(shards)) fresh.add((shards = shards.slice()));
        shards[place.shard] = applyToShard(old, update);
        runs[place.task] = { ...before, shards };
        changed.add(before.number);
      }
      changed.add(update.number);
    }
    if (changed.size > 0) this.runs = runs;
    return [...changed];
  }

  private noteChanges(changed: number[]): void {
    this.version++;
    const scheduled = this.pending;
    const pending = scheduled ?? (this.pending = new Set<number>());
    changed.forEach((n) => pending.add(n));
    if (!scheduled) this.schedule(this.notify);
  }

  private readonly notify = (): void => {
    const changed = this.pending ?? new Set();
    this.pending = undefined;
    for (const number of changed)
      [...(this.runListeners.get(number) ?? [])].forEach((l) => {
        l();
      });
    [...this.listeners].forEach((l) => {
      l();
    });
  };
}

/**
 * Applies a live change to a run. Live changes contain no outputs, so the outputs stay while their attempt is the
 * latest.
 */
function applyUpdate(before: TaskRun, now: LiveRun): TaskRun {
  const sameAttempt = before.attempts === now.attempts && before.round === now.round && before.state === now.state;
  return {
    ...now,
    key: before.key,
    job: before.job,
    ...(before.shards ? { shards: before.shards } : {}),
    ...(sameAttempt && before.outputs ? { outputs: before.outputs } : {}),
  };
}

/** Applies a live change to a shard. Its executor is known before its first attempt, if it is bound to it. */
function applyToShard(before: ShardRun, now: LiveRun): ShardRun {
  const sameAttempt = before.attempts === now.attempts && before.round === now.round && before.state === now.state;
  return {
    ...now,
    executor: now.executor || before.executor,
    index: before.index,
    ...(before.item === undefined ? {} : { item: before.item }),
    ...(sameAttempt && before.outputs ? { outputs: before.outputs } : {}),
  };
}

/** Where a run is: the index of its task's run, and that of a shard in it. */
interface Place {
  task: number;
  shard?: number;
}

/** The runs of shards, so that a shard that has not changed is the same run. */
const shardRuns = new WeakMap<ShardRun, TaskRun>();

function runOfShard(task: TaskRun, shard: ShardRun): TaskRun {
  const known = shardRuns.get(shard);
  if (known) return known;
  const run: TaskRun = { ...shard, key: shardName(task.key, shard.index), job: task.job };
  shardRuns.set(shard, run);
  return run;
}

/** The shards of a task as runs, each with its name as the key. */
export const shardsOf = (task: TaskRun): TaskRun[] => (task.shards ?? []).map((shard) => runOfShard(task, shard));

const numbersOf = (run: TaskRun | undefined): number[] => run?.shards?.map((shard) => shard.number) ?? [];

/** Whether two JSON values are equal, regardless of the order of their fields. An undefined field counts as missing. */
function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || !a || !b) return false;
  const [x, y] = [a as Record<string, unknown>, b as Record<string, unknown>];
  for (const key in x) if (!isEqual(x[key], y[key])) return false;
  for (const key in y) if (y[key] !== undefined && x[key] === undefined) return false;
  return true;
}
