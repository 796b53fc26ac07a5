import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import type { BatchSearch } from './search';

type Change = (part: Partial<BatchSearch>, replace?: boolean) => void;

/** The search part of the page's address, and its changes. */
export function useAddress() {
  const search = useSearch({ from: '/shell/batches/$id' });
  const navigate = useNavigate({ from: '/batches/$id' });
  const change: Change = useCallback(
    (part, replace = false) => {
      void navigate({ to: '.', search: (before) => ({ ...before, ...part }), replace });
    },
    [navigate],
  );
  const select = useCallback(
    (task: string | undefined) => {
      change({ task, tab: undefined, attempt: undefined, at: undefined, compare: undefined });
    },
    [change],
  );
  const filter = useCallback(
    (part: Partial<BatchSearch>) => {
      change({ q: undefined, only: undefined, sort: undefined, ...part }, true);
    },
    [change],
  );
  // The graph scrolls to a task that was selected outside the graph.
  const [reveal, setReveal] = useState(search.task);
  const show = useCallback(
    (task: string) => {
      setReveal(task);
      select(task);
    },
    [select],
  );
  return { search, reveal, change, select, show, filter };
}

/** The search part of the page's address, and its changes. */
export type Address = ReturnType<typeof useAddress>;
