import type { QueryClient } from '@tanstack/react-query';
import { ApiError } from '@/api/client';
import { batchQuery } from '@/api/queries';
import { perFrame, RunStore } from './runs';
import type { LiveFrame, LiveSocket } from './socket';

/** Poll interval in milliseconds without the live connection: some networks block websockets. */
const POLL_INTERVAL = 10_000;
/**
 * A batch that has ended is read again after this many milliseconds, and when its tab is shown again: it may have been
 * deleted, which no live frame reports.
 */
const CHECK_INTERVAL = 300_000;
/** The least time in milliseconds between two such reads. */
const CHECK_PAUSE = 60_000;

/** Keeps a batch up to date from its live topic, and from reads if the live connection is interrupted. */
export class LiveBatch {
  readonly store: RunStore;
  private error: unknown = null;
  private deleted = false;
  private readonly listeners = new Set<() => void>();

  constructor(
    private readonly id: number,
    private readonly client: QueryClient,
    store = new RunStore(perFrame),
  ) {
    this.store = store;
  }

  /** Whether the server no longer has the batch, which the page still shows. */
  isDeleted = (): boolean => this.deleted;

  getError = (): unknown => (this.store.getBatch() ? null : this.error);

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    const stop = this.store.subscribe(listener);
    return () => {
      this.listeners.delete(listener);
      stop();
    };
  };

  applyFrame = (frame: LiveFrame): void => {
    this.store.apply(frame);
  };

  /**
   * Reads the batch from the server. The answer is ignored if a live frame has arrived in the meantime, because it is
   * newer.
   */
  read = (): void => {
    const framesBefore = this.store.getFrames();
    this.client.fetchQuery({ ...batchQuery(this.id), staleTime: 0 }).then(
      (batch) => {
        this.note(null, false);
        if (this.store.getFrames() === framesBefore) this.store.reset(batch);
      },
      (error: unknown) => {
        const isGone = error instanceof ApiError && error.status === 404;
        this.note(error, isGone && this.store.getBatch() !== undefined);
      },
    );
  };

  /** Notes how a read has ended. Listeners are notified only of a change: most reads find what is known already. */
  private note(error: unknown, deleted: boolean): void {
    if (this.error === error && this.deleted === deleted) return;
    this.error = error;
    this.deleted = deleted;
    this.listeners.forEach((l) => {
      l();
    });
  }

  /** Reads the batch now, and regularly without the live connection. The returned function stops this. */
  start = (socket: LiveSocket): (() => void) => {
    this.read();
    const timer = setInterval(() => {
      if (socket.getStatus() !== 'live') this.read();
    }, POLL_INTERVAL);
    let checkedAt = 0;
    const check = () => {
      if (document.visibilityState !== 'visible' || this.store.getBatch()?.live !== false || this.deleted) return;
      if (Date.now() - checkedAt < CHECK_PAUSE) return;
      checkedAt = Date.now();
      this.read();
    };
    const checks = setInterval(check, CHECK_INTERVAL);
    document.addEventListener('visibilitychange', check);
    return () => {
      clearInterval(timer);
      clearInterval(checks);
      document.removeEventListener('visibilitychange', check);
    };
  };
}
