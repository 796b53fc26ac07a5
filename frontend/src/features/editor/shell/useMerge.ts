import { useState } from 'react';
import { type Diff, diff } from '@/document';
import { readRevision, readRevisions } from './queries';
import { useSession } from './session';

/** A revision that somebody else published, with what it changed. */
export interface MergedRevision {
  revision: number;
  by: string;
  diff: Diff;
}

/**
 * Merges the newest revision, which somebody else published, into the draft. `merge` returns undefined if there is
 * none, or if it failed.
 */
export function useMerge(): {
  /** The last revision that was merged. */
  merged: MergedRevision | undefined;
  merge: () => Promise<MergedRevision | undefined>;
  pending: boolean;
  error: unknown;
} {
  const { name, draft } = useSession();
  const [merged, setMerged] = useState<MergedRevision>();
  const [pending, setPending] = useState(false);
  const [error, setError] = useState<unknown>();
  const merge = async () => {
    setPending(true);
    setError(undefined);
    try {
      const [head] = await readRevisions(name);
      if (!head || head.number === draft.base?.revision) return undefined;
      const { doc } = await readRevision(name, head.number);
      const now = {
        revision: head.number,
        by: head.createdBy,
        diff: diff(draft.base?.doc ?? { ...doc, jobs: [] }, doc),
      };
      draft.rebase(head.number, doc);
      setMerged(now);
      return now;
    } catch (failed) {
      setError(failed);
      return undefined;
    } finally {
      setPending(false);
    }
  };
  return { merged, merge, pending, error };
}
