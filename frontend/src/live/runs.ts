import type { Schemas } from '@/api/client';
import type { LiveFrame } from './socket';

/** A batch with its task runs, as the API answers it. */
export type Batch = Schemas['Batch'];
/** A task run of a batch, as the API answers it. */
export type TaskRun = Schemas['TaskRun'];
type LiveRun = Schemas['LiveRun'];

/** When listeners are told: `notify` is called once, now or soon. */
export type Pace = (notify: () => void) => void;

const atOnce: Pace = (notify) => {
  notify();
};

/**
 * Tells listeners at the next frame of the browser, so that a thousand changes a second cost one rendering per frame. A
 * hidden page has no frames: there it happens a quarter of a second later, so that the title stays current.
 */
export const perFrame: Pace = (notify) => {
  const once = () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    notify();
  };
  const frame = requestAnimationFrame(once);
  const timer = setTimeout(once, 250);
};

/**
 * The state of one batch on this page: the batch, and its task runs by number. A listener of one run is told about that
 * run only, so a change of one task renders one card, whatever the size of the batch. Reads always return the newest
 * state; listeners are told at the store's pace.
 */
export class RunStore {
  private batch?: Batch;
  private runs: TaskRun[] = []; // by number
  private byKey = new Map<string, number>();
  private version = 0;
  private frames = 0;
  private pending?: Set<number>;
  private readonly all = new Set<() => void>();
  private readonly one = new Map<number, Set<() => void>>();

  constructor(private readonly pace: Pace = atOnce) {}

  /** The newest state of the batch. Its `tasks` are those of the snapshot: read runs from the store instead. */
  getBatch = (): Batch | undefined => this.batch;
  getRun = (number: number): TaskRun | undefined => this.runs[number];
  getRuns = (): readonly TaskRun[] => this.runs;
  numberOf = (key: string): number | undefined => this.byKey.get(key);
  /** Grows with every change of anything. */
  getVersion = (): number => this.version;
  /** How many live frames have been heard: what was read otherwise counts only if none came since it was asked for. */
  getFrames = (): number => this.frames;

  /** Hears of every change. */
  subscribe = (listener: () => void): (() => void) => {
    this.all.add(listener);
    return () => this.all.delete(listener);
  };

  /** Hears of changes of one run. */
  subscribeRun = (number: number, listener: () => void): (() => void) => {
    const set = this.one.get(number) ?? new Set();
    this.one.set(number, set.add(listener));
    return () => {
      set.delete(listener);
      if (set.size === 0 && this.one.get(number) === set) this.one.delete(number);
    };
  };

  /** Everything anew: a snapshot, or the answer of `GET /batches/{id}`. Runs that are the same stay the same object. */
  reset(batch: Batch): void {
    const before = this.runs;
    // A run's number is its place: 0, 1, … without gaps.
    this.runs = [...batch.tasks]
      .sort((a, b) => a.number - b.number)
      .map((run, n) => {
        const old = before[n];
        return old && same(old, run) ? old : run;
      });
    const changed: number[] = [];
    for (let n = 0; n < Math.max(before.length, this.runs.length); n++) if (before[n] !== this.runs[n]) changed.push(n);
    if (changed.some((n) => before[n]?.key !== this.runs[n]?.key))
      this.byKey = new Map(this.runs.map((run) => [run.key, run.number]));
    if (this.batch && changed.length === 0 && same({ ...this.batch, tasks: [] }, { ...batch, tasks: [] })) return;
    this.batch = batch;
    this.note(changed);
  }

  /** A frame of the topic `batch`. */
  apply(frame: LiveFrame): void {
    if (frame.op !== 'snapshot' && frame.op !== 'delta') return;
    this.frames++;
    if (frame.op === 'snapshot') {
      if (frame.batch) this.reset(frame.batch);
      return;
    }
    const old = this.batch;
    if (!old) return;
    // A delta has the batch whole, but for its tasks: a field that is not in it is gone (`pausedAt`, `finishedAt`).
    if (frame.batch) {
      const { params = old.params, usualSeconds = old.usualSeconds } = frame.batch;
      this.batch = { ...frame.batch, params, usualSeconds, tasks: old.tasks };
    }
    const changed = this.merge(frame.runs ?? []);
    if (changed.length > 0 || frame.batch) this.note(changed);
  }

  /** Merges runs of a delta into the store, and returns the numbers of those that changed. */
  private merge(updates: readonly LiveRun[]): number[] {
    const changed: number[] = [];
    const runs = this.runs.slice();
    for (const update of updates) {
      const before = runs[update.number];
      if (!before) continue; // added by a repair: the server follows with a snapshot
      const after = merged(before, update);
      if (same(before, after)) continue;
      runs[update.number] = after;
      changed.push(update.number);
    }
    if (changed.length > 0) this.runs = runs;
    return changed;
  }

  private note(changed: number[]): void {
    this.version++;
    const waiting = this.pending;
    const pending = waiting ?? (this.pending = new Set<number>());
    changed.forEach((n) => pending.add(n));
    if (!waiting) this.pace(this.notify);
  }

  private readonly notify = (): void => {
    const changed = this.pending ?? new Set();
    this.pending = undefined;
    for (const number of changed)
      [...(this.one.get(number) ?? [])].forEach((l) => {
        l();
      });
    [...this.all].forEach((l) => {
      l();
    });
  };
}

/**
 * A run with a live change applied. Live changes carry no outputs: the known outputs stay while their attempt is the
 * latest.
 */
function merged(before: TaskRun, now: LiveRun): TaskRun {
  const kept = before.attempts === now.attempts && before.round === now.round && before.state === now.state;
  return { ...now, key: before.key, job: before.job, ...(kept && before.outputs ? { outputs: before.outputs } : {}) };
}

/** Whether two values of JSON are the same, whatever the order of their fields; a field that is undefined is none. */
function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || !a || !b) return false;
  const [x, y] = [a as Record<string, unknown>, b as Record<string, unknown>];
  return [...new Set([...Object.keys(x), ...Object.keys(y)])].every((key) => same(x[key], y[key]));
}
