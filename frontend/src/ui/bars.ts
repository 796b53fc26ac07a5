import type { Schemas } from '@/api/client';

export type RecentBatch = Schemas['RecentBatch'];

export interface Bar {
  batch: RecentBatch;
  /** Part of the full height, by its duration against the longest; what has no duration yet is full. */
  height: number;
  /** Milliseconds, if it has ended. */
  took?: number;
}

/** The bars of a row, oldest first. */
export function bars(recent: readonly RecentBatch[] = []): Bar[] {
  const took = recent.map((b) =>
    b.startedAt && b.finishedAt ? Math.max(0, time(b.finishedAt) - time(b.startedAt)) : undefined,
  );
  const longest = Math.max(1, ...took.map((t) => t ?? 0));
  return recent.map((batch, i) => {
    const ms = took[i];
    return {
      batch,
      took: ms,
      height:
        ms === undefined
          ? batch.state === 'queued' || batch.state === 'running'
            ? 1
            : 0.25
          : Math.max(0.25, ms / longest),
    };
  });
}

function time(at: string): number {
  return new Date(at).getTime();
}
