import { useState } from 'react';
import { type Diff, diff } from '@/document';
import { readRevision, readRevisions } from './queries';
import { useSession } from './session';

/** What somebody else published, and what it brought into the draft. */
export interface Met {
  revision: number;
  by: string;
  diff: Diff;
}

/** Joins the newest revision, which somebody else published, into the draft. */
export function useMerge(): {
  met: Met | undefined;
  merge: () => Promise<Met | undefined>;
  pending: boolean;
  error: unknown;
} {
  const { name, draft } = useSession();
  const [met, setMet] = useState<Met>();
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
      setMet(now);
      return now;
    } catch (failed) {
      setError(failed);
      return undefined;
    } finally {
      setPending(false);
    }
  };
  return { met, merge, pending, error };
}
