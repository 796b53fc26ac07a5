import { type ReactNode, useCallback } from 'react';
import { useRepair, useWish } from '@/features/repair';
import { useRun } from '@/features/run';
import type { Schemas } from '@/api/client';

/** What a person can have done to a batch. */
export interface BatchActions {
  repair: (request: Schemas['RepairRequest']) => void;
  pause: () => void;
  go: () => void;
  cancel: () => void;
  /** Runs the schedule anew, in another batch. */
  runAgain: () => void;
  /** The wish that is on its way. */
  pending: Schemas['Wish'] | undefined;
}

/** Everything that can be done on the page of a batch; `node` holds the dialogs that it needs. */
export function useBatchActions(batch: number, schedule: string): { actions: BatchActions; node: ReactNode } {
  const repair = useRepair();
  const wish = useWish(batch);
  const run = useRun();
  const { open: openRepair } = repair;
  const { open: openRun } = run;
  return {
    actions: {
      repair: useCallback(
        (request) => {
          openRepair(batch, request);
        },
        [openRepair, batch],
      ),
      pause: wish.pause,
      go: wish.go,
      cancel: wish.cancel,
      runAgain: useCallback(() => {
        openRun(schedule);
      }, [openRun, schedule]),
      pending: wish.pending,
    },
    node: (
      <>
        {repair.node}
        {wish.node}
        {run.node}
      </>
    ),
  };
}
