import type { QueryClient } from '@tanstack/react-query';
import { batchQuery } from '@/api/queries';
import { perFrame, RunStore } from './runs';
import type { LiveFrame, LiveSocket } from './socket';

/** While the connection is away, a batch is read so often (milliseconds): some networks let no websocket through. */
const READ_EVERY = 10_000;

/** One batch followed: the reading of it, its live topic, and which of the two is believed. */
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

  take = (frame: LiveFrame): void => {
    this.store.apply(frame);
  };

  /** Asks the server how the batch is. The answer counts only if no live frame came meanwhile: those are newer. */
  read = (): void => {
    const heard = this.store.getFrames();
    this.client
      .fetchQuery({ ...batchQuery(this.id), staleTime: 0 })
      .then(
        (batch) => {
          this.error = null;
          if (this.store.getFrames() === heard) this.store.reset(batch);
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

  /** Reads now, and as long as the connection is away. Answers how to end that. */
  keep = (socket: LiveSocket): (() => void) => {
    this.read();
    const timer = setInterval(() => {
      if (socket.getStatus() !== 'live') this.read();
    }, READ_EVERY);
    return () => {
      clearInterval(timer);
    };
  };
}
