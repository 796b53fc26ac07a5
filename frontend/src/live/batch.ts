import type { QueryClient } from '@tanstack/react-query';
import { batchQuery } from '@/api/queries';
import { perFrame, RunStore } from './runs';
import type { LiveFrame, LiveSocket } from './socket';

/** Poll interval in milliseconds without the live connection: some networks block websockets. */
const POLL_INTERVAL = 10_000;

/** Keeps a batch up to date from its live topic, and from reads if the live connection is interrupted. */
export class LiveBatch {
  readonly store: RunStore;
  private error: unknown = null;
  private readonly listeners = new Set<() => void>();

  constructor(
    private readonly id: number,
    private readonly client: QueryClient,
    store = new RunStore(perFrame),
  ) {
    this.store = store;
  }

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
    this.client
      .fetchQuery({ ...batchQuery(this.id), staleTime: 0 })
      .then(
        (batch) => {
          this.error = null;
          if (this.store.getFrames() === framesBefore) this.store.reset(batch);
        },
        (error: unknown) => {
          this.error = error;
        },
      )
      .finally(() => {
        this.listeners.forEach((l) => {
          l();
        });
      });
  };

  /** Reads the batch now, and regularly without the live connection. The returned function stops this. */
  start = (socket: LiveSocket): (() => void) => {
    this.read();
    const timer = setInterval(() => {
      if (socket.getStatus() !== 'live') this.read();
    }, POLL_INTERVAL);
    return () => {
      clearInterval(timer);
    };
  };
}
