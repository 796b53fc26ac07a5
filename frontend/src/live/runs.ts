import type { Schemas } from '@/api/client';
import type { LiveFrame } from './socket';

/** A batch with its task runs. */
export type Batch = Schemas['Batch'];
/** A task run of a batch. */
export type TaskRun = Schemas['TaskRun'];
type LiveRun = Schemas['LiveRun'];

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
 */
export class RunStore {
  private batch?: Batch;
  private runs: TaskRun[] = []; // by number
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
  getRun = (number: number): TaskRun | undefined => this.runs[number];
  getRuns = (): readonly TaskRun[] => this.runs;
  /** The keys of the tasks by number. The same array as long as the batch has the same tasks. */
  getKeys = (): readonly string[] => this.keys;
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
    const before = this.runs;
    // The numbers of the runs are 0, 1, … without gaps, so they are the indexes of the array.
    this.runs = [...batch.tasks]
      .sort((a, b) => a.number - b.number)
      .map((run, n) => {
        const old = before[n];
        return old && isEqual(old, run) ? old : run;
      });
    const changed: number[] = [];
    for (let n = 0; n < Math.max(before.length, this.runs.length); n++) if (before[n] !== this.runs[n]) changed.push(n);
    if (changed.some((n) => before[n]?.key !== this.runs[n]?.key)) {
      this.byKey = new Map(this.runs.map((run) => [run.key, run.number]));
      this.keys = this.runs.map((run) => run.key);
    }
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

  /** Merges runs of a delta into the store, and returns the numbers of those that changed. */
  private merge(updates: readonly LiveRun[]): number[] {
    const changed: number[] = [];
    const runs = this.runs.slice();
    for (const update of updates) {
      const before = runs[update.number];
      if (!before) continue; // added by a repair: the server sends a snapshot next
      const after = applyUpdate(before, update);
      if (isEqual(before, after)) continue;
      runs[update.number] = after;
      changed.push(update.number);
    }
    if (changed.length > 0) this.runs = runs;
    return changed;
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
    ...(sameAttempt && before.outputs ? { outputs: before.outputs } : {}),
  };
}

/** Whether two JSON values are equal, regardless of the order of their fields. An undefined field counts as missing. */
function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || !a || !b) return false;
  const [x, y] = [a as Record<string, unknown>, b as Record<string, unknown>];
  for (const key in x) if (!isEqual(x[key], y[key])) return false;
  for (const key in y) if (y[key] !== undefined && x[key] === undefined) return false;
  return true;
}
