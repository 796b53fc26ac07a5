import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Schemas } from '@/api/client';
import { attemptsQuery } from '@/api/queries';
import type { RunStore } from '@/live';

const NONE: Schemas['Attempt'][] = [];

/**
 * Milliseconds between a change of the runs and the request for the attempts: as many as there are runs, because the
 * answer has the attempts of all of them, but at least these.
 */
const LEAST_DELAY = 1000;

/**
 * The attempts of a batch. They are loaded again after its runs have changed, while the page is visible. So the runs
 * are newer.
 */
export function useAttempts(batch: number, store: RunStore): readonly Schemas['Attempt'][] {
  const { data, refetch } = useQuery(attemptsQuery(batch));
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let loadedVersion = store.getVersion();
    const load = () => {
      timer = undefined;
      if (document.visibilityState === 'hidden') return;
      loadedVersion = store.getVersion();
      void refetch();
    };
    const later = () => {
      if (timer !== undefined || store.getVersion() === loadedVersion) return;
      timer = setTimeout(load, Math.max(LEAST_DELAY, store.getRunCount()));
    };
    const stop = store.subscribe(later);
    document.addEventListener('visibilitychange', later);
    return () => {
      stop();
      document.removeEventListener('visibilitychange', later);
      clearTimeout(timer);
    };
  }, [store, refetch]);
  return data?.items ?? NONE;
}
