import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Schemas } from '@/api/client';
import { attemptsQuery } from '@/api/queries';
import type { RunStore } from '@/live';

const NONE: Schemas['Attempt'][] = [];

/** Milliseconds between a change of the runs and the request for the attempts. */
const DELAY = 1000;

/** The attempts of a batch. They are loaded again shortly after its runs have changed, so the runs are newer. */
export function useAttempts(batch: number, store: RunStore): readonly Schemas['Attempt'][] {
  const { data, refetch } = useQuery(attemptsQuery(batch));
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let loadedVersion = store.getVersion();
    const stop = store.subscribe(() => {
      if (timer !== undefined || store.getVersion() === loadedVersion) return;
      timer = setTimeout(() => {
        timer = undefined;
        loadedVersion = store.getVersion();
        void refetch();
      }, DELAY);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [store, refetch]);
  return data?.items ?? NONE;
}
