import { useEffect, useMemo, useRef } from 'react';
import type { RowActions } from './ScheduleRow';

/** Actions that stay the same object, so that rows are drawn anew for their own changes only. */
export function useStable(actions: RowActions): RowActions {
  const latest = useRef(actions);
  useEffect(() => {
    latest.current = actions;
  });
  return useMemo(
    () => ({
      run: (name) => {
        latest.current.run(name);
      },
      pickTask: (name) => {
        latest.current.pickTask(name);
      },
      resume: (batch) => {
        latest.current.resume(batch);
      },
      turn: (name, enabled) => {
        latest.current.turn(name, enabled);
      },
    }),
    [],
  );
}
