import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Schemas } from '@/api/client';
import { attemptsQuery } from '@/api/queries';
import type { RunStore } from '@/live';

const NONE: Schemas['Attempt'][] = [];

/** After a change, all changes of so long (milliseconds) are read together. */
const GATHER = 1000;

/** The attempts of a batch, read again a moment after its runs have changed. What is newer stands in the runs. */
export function useAttempts(batch: number, store: RunStore): readonly Schemas['Attempt'][] {
  const { data, refetch } = useQuery(attemptsQuery(batch));
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let seen = store.getVersion();
    const stop = store.subscribe(() => {
      if (timer !== undefined || store.getVersion() === seen) return;
      timer = setTimeout(() => {
        timer = undefined;
        seen = store.getVersion();
        void refetch();
      }, GATHER);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [store, refetch]);
  return data?.items ?? NONE;
}
